import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { CommitStatusRow, NewCommitStatus } from './tables.ts';

/** Keeps others from reporting on the project's commits until the transaction ends: numbers and states follow. */
export async function lockStatuses(trx: Writer, projectId: number): Promise<void> {
  if (!(await lockRow(trx, 'projects', projectId))) throw new NotFound('Project');
}

/** What the statuses of a pipeline that count say, each once: a pipeline may have very many. */
export function currentStates(
  db: Reader,
  pipelineId: number,
): Promise<Pick<CommitStatusRow, 'status' | 'allow_failure'>[]> {
  return db
    .selectFrom('commit_statuses')
    .select(['status', 'allow_failure'])
    .distinct()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .execute();
}

/** Whether a pipeline has so many statuses, whether they count or not. */
export async function hasStatuses(db: Reader, pipelineId: number, count: number): Promise<boolean> {
  const query = db.selectFrom('commit_statuses').select('id').where('pipeline_id', '=', pipelineId).orderBy('name');
  return (
    (await query
      .limit(1)
      .offset(count - 1)
      .executeTakeFirst()) !== undefined
  );
}

/** What tells one service's status from others in a pipeline. */
export interface StatusKey {
  readonly pipelineId: number;
  readonly name: string;
  readonly ref: string;
  readonly userId: number;
}

/** What a service may still change: its own status of that name, while it waits or runs. */
export function openStatus(db: Reader, key: StatusKey): Promise<CommitStatusRow | undefined> {
  return db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('pipeline_id', '=', key.pipelineId)
    .where('name', '=', key.name)
    .where('ref', '=', key.ref)
    .where('user_id', '=', key.userId)
    .where('status', 'in', ['pending', 'running'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Adds a status; those of the same name before it no longer count. */
export async function insertStatus(trx: Writer, row: NewCommitStatus): Promise<CommitStatusRow> {
  await trx
    .updateTable('commit_statuses')
    .set({ retried: 1 })
    .where('pipeline_id', '=', row.pipeline_id)
    .where('name', '=', row.name)
    .where('retried', '=', 0)
    .execute();
  return trx.insertInto('commit_statuses').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateStatus(
  trx: Writer,
  id: number,
  change: Partial<Omit<CommitStatusRow, 'id'>>,
): Promise<CommitStatusRow> {
  return trx.updateTable('commit_statuses').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}
