import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { PipelineRow } from './tables.ts';

/** Of the pipelines of one commit only so many are looked at. */
const recentPipelines = 100;

const latest = statement((db, param: Param<{ project: number; sha: string }>) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('sha', '=', param('sha'))
    .orderBy('id', 'desc')
    .limit(1),
);

/** The newest pipeline of a commit. */
export function latestPipeline(db: Reader, projectId: number, sha: string): Promise<PipelineRow | undefined> {
  return latest.first(db, { project: projectId, sha });
}

/** The pipelines of a commit, the newest first, on one ref and of one number if they are given. */
export function pipelinesOf(
  db: Reader,
  projectId: number,
  sha: string,
  { ref, id }: { readonly ref?: string; readonly id?: number | undefined } = {},
): Promise<PipelineRow[]> {
  let query = db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .orderBy('id', 'desc')
    .limit(recentPipelines);
  if (ref !== undefined) query = query.where('ref', '=', ref);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.execute();
}

/** Opens a pipeline for what outside services report. */
export async function insertPipeline(
  trx: Writer,
  row: { readonly project_id: number; readonly sha: string; readonly ref: string; readonly user_id: number },
): Promise<PipelineRow> {
  const { last } = await trx
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('iid').as('last'))
    .where('project_id', '=', row.project_id)
    .executeTakeFirstOrThrow();
  const now = Date.now();
  const values = { ...row, iid: Number(last ?? 0) + 1, source: 'external', status: 'created' };
  return trx
    .insertInto('pipelines')
    .values({ ...values, created_at: now, updated_at: now, started_at: null, finished_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A pipeline as it is now; nobody else changes it until the transaction ends. */
export function lockPipeline(trx: Writer, id: number): Promise<PipelineRow | undefined> {
  return lockRow(trx, 'pipelines', id);
}

export function updatePipeline(
  trx: Writer,
  id: number,
  change: Partial<Omit<PipelineRow, 'id' | 'project_id'>>,
): Promise<PipelineRow> {
  return trx.updateTable('pipelines').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}
