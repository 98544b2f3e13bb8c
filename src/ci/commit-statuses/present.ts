import type { Services } from '../../access/services.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { CommitStatusEntity } from './schema.ts';
import type { CommitStatusRow } from './tables.ts';

/** The entities of statuses, with one query for those who reported them. */
export async function presentStatuses(
  { db, externalUrl }: Services,
  rows: readonly CommitStatusRow[],
): Promise<CommitStatusEntity[]> {
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
    target_url: row.target_url,
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
