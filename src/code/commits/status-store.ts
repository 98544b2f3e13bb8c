import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { CommitStatusRow, NewCommitStatus, PipelineRow } from './tables.ts';

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

/** Keeps others from reporting on the project's commits until the transaction ends: numbers and states follow. */
export async function lockStatuses(trx: Writer, projectId: number): Promise<void> {
  if (!(await lockRow(trx, 'projects', projectId))) throw new NotFound('Project');
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

export async function updatePipeline(
  trx: Writer,
  id: number,
  change: Partial<Pick<PipelineRow, 'status' | 'updated_at' | 'started_at' | 'finished_at'>>,
): Promise<void> {
  await trx.updateTable('pipelines').set(change).where('id', '=', id).execute();
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

export interface StatusFilter {
  readonly ref?: string;
  readonly stage?: string;
  readonly name?: string;
  readonly pipeline_id?: number;
  readonly all: boolean;
  readonly order_by: 'id' | 'pipeline_id';
  readonly sort: 'asc' | 'desc';
}

/** One page of the statuses of a commit. */
export function listStatuses(db: Reader, projectId: number, sha: string, filter: StatusFilter, slice: Slice) {
  let query = db.selectFrom('commit_statuses').selectAll().where('project_id', '=', projectId).where('sha', '=', sha);
  if (!filter.all) query = query.where('retried', '=', 0);
  for (const column of ['ref', 'stage', 'name', 'pipeline_id'] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filter.order_by === 'pipeline_id') query = query.orderBy('pipeline_id', filter.sort);
  return fetchPage(db, query.orderBy('id', filter.sort), slice);
}
