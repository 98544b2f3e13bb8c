import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { CommitStatusRow, NewCommitStatus } from './tables.ts';

/** Rows per insert statement, because the number of parameters is limited. */
const insertBatchSize = 100;

/** Locks the project until the transaction ends, so that concurrent reports see each other's states. */
export async function lockStatuses(trx: Writer, projectId: number): Promise<void> {
  if (!(await lockRow(trx, 'projects', projectId))) throw new NotFound('Project');
}

/** Distinct states of the current statuses of a pipeline, which may have very many statuses. */
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

/** Whether a pipeline has at least `count` statuses, including retried ones. */
export async function hasStatuses(db: Reader, pipelineId: number, count: number): Promise<boolean> {
  const query = db.selectFrom('commit_statuses').select('id').where('pipeline_id', '=', pipelineId).orderBy('name');
  return (
    (await query
      .limit(1)
      .offset(count - 1)
      .executeTakeFirst()) !== undefined
  );
}

/** Identifies the status of one reporter in a pipeline. */
export interface StatusKey {
  readonly pipelineId: number;
  readonly name: string;
  readonly ref: string;
  readonly userId: number;
}

/** The pending or running status of a reporter, which further reports update. */
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

/** Inserts a status and marks earlier ones of the same name as retried. */
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

/** Inserts statuses as they are, among them retried ones. */
export async function insertImportedStatuses(trx: Writer, rows: readonly NewCommitStatus[]): Promise<void> {
  for (let at = 0; at < rows.length; at += insertBatchSize) {
    await trx
      .insertInto('commit_statuses')
      .values(rows.slice(at, at + insertBatchSize))
      .execute();
  }
}

export function updateStatus(
  trx: Writer,
  id: number,
  change: Partial<Omit<CommitStatusRow, 'id'>>,
): Promise<CommitStatusRow> {
  return trx.updateTable('commit_statuses').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}
