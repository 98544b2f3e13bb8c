import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { instant } from '../../platform/http/schema.ts';
import { projectUrl } from '../repository/service.ts';
import type { CommitDetailEntity } from './schema.ts';
import { latestPipeline } from './status-store.ts';
import type { PipelineRow } from './tables.ts';

/** What a commit tells of its newest pipeline, as far as the caller may know. */
export async function pipelineFields(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<Pick<CommitDetailEntity, 'status' | 'last_pipeline'>> {
  const pipeline = subject.can('read_commit_status')
    ? await latestPipeline(services.db.read, subject.project.id, sha)
    : undefined;
  if (!pipeline) return { status: null, last_pipeline: null };
  return { status: pipeline.status, last_pipeline: presentPipeline(pipeline, projectUrl(services, subject)) };
}

function presentPipeline(pipeline: PipelineRow, url: string): NonNullable<CommitDetailEntity['last_pipeline']> {
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
