import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { CommitStatusEntity } from './schema.ts';
import type { CommitStatusRow } from './tables.ts';

/** A reported status or, with `is_job`, a job of the commit's pipelines. */
interface ShownStatus extends CommitStatusRow {
  readonly is_job?: number;
}

/** Presents statuses of one project, loading all authors with one query. */
export async function presentStatuses(
  services: Services,
  subject: ProjectSubject,
  rows: readonly ShownStatus[],
): Promise<CommitStatusEntity[]> {
  const { db, externalUrl } = services;
  const url = projectUrl(services, subject);
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  return rows.map((row) => ({
    id: row.id,
    sha: row.sha,
    ref: row.ref,
    status: row.status,
    name: row.name,
    target_url: row.is_job === 1 ? `${url}/-/jobs/${row.id}` : row.target_url,
    description: row.description,
    created_at: instant(row.created_at),
    started_at: instantOrNull(row.started_at),
    finished_at: instantOrNull(row.finished_at),
    allow_failure: row.allow_failure === 1,
    coverage: row.coverage,
    pipeline_id: row.pipeline_id,
    author: (row.user_id !== null && authors.get(row.user_id)) || null,
  }));
}
