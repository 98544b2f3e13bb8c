import Type, { type Static } from 'typebox';
import { entity, instant, timestamp } from '../../platform/http/schema.ts';
import type { PipelineRow } from './tables.ts';

export const basicFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  source: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  web_url: Type.String(),
};

/** Short representation of a pipeline in commits, jobs and schedules. */
export const PipelineBasic = entity('PipelineBasic', basicFields);

/** `url` is the URL of the project. */
export function presentBasic(pipeline: PipelineRow, url: string): Static<typeof PipelineBasic> {
  const { id, iid, project_id, sha, ref, status, source } = pipeline;
  return {
    id,
    iid,
    project_id,
    sha,
    ref,
    status,
    source,
    created_at: instant(pipeline.created_at),
    updated_at: instant(pipeline.updated_at),
    web_url: `${url}/-/pipelines/${id}`,
  };
}
