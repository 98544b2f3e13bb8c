import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { isArchived } from './archival.ts';
import { presentBasic } from './basic.ts';
import { detailedStatus } from './detailed-status.ts';
import type { PipelineEntity, PipelineListEntity } from './schema.ts';
import { hasWarnings } from './store.ts';
import type { PipelineRow } from './tables.ts';

export function presentListed(row: PipelineRow, url: string): PipelineListEntity {
  return { ...presentBasic(row, url), name: row.name };
}

/** Presents a single pipeline; `named` adds its name, which only some responses have. */
export async function presentPipeline(
  services: Services,
  subject: ProjectSubject,
  row: PipelineRow,
  named = false,
): Promise<PipelineEntity> {
  const { db, externalUrl } = services;
  const users = await basicUsers(db.read, [row.user_id], externalUrl);
  const warnings = row.status === 'success' && (await hasWarnings(db.read, row.id));
  const path = `/${subject.fullPath}/-/pipelines/${row.id}`;
  return {
    ...presentBasic(row, projectUrl(services, subject)),
    before_sha: row.before_sha || '0'.repeat(40),
    tag: row.tag === 1,
    yaml_errors: row.yaml_errors,
    user: (row.user_id !== null && users.get(row.user_id)) || null,
    started_at: instantOrNull(row.started_at),
    finished_at: instantOrNull(row.finished_at),
    committed_at: instantOrNull(row.committed_at),
    duration: row.duration,
    queued_duration: row.queued_duration,
    coverage: row.coverage === null ? null : row.coverage.toFixed(2),
    detailed_status: detailedStatus(row.status, warnings, path, externalUrl),
    archived: isArchived(services, row.created_at),
    ...(named ? { name: row.name } : {}),
  };
}
