import { type Insertable, type SqlBool, sql } from 'kysely';
import { nextInternalId, reserveInternalId, upcomingInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Encryption } from '../../platform/secrets/encryption.ts';
import type { PipelineRow, PipelinesTable } from './tables.ts';

/** A variable set for a single pipeline. */
export interface PipelineVariable {
  readonly key: string;
  readonly value: string;
  readonly variableType: 'env_var' | 'file';
  readonly raw?: boolean;
}

const purpose = 'pipeline_variables.value';

/** Maximum number of pipelines of one commit that are considered. */
const maxPipelines = 100;

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

/** The pipelines of a commit, newest first, optionally filtered by ref and ID. */
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
    .limit(maxPipelines);
  if (ref !== undefined) query = query.where('ref', '=', ref);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.execute();
}

/** The newest pipeline of a commit on a ref, ignoring child pipelines. */
export function newestPipelineOf(
  db: Reader,
  projectId: number,
  sha: string,
  ref: string,
): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .where('ref', '=', ref)
    .where('source', '!=', sql.lit('parent_pipeline'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

type GeneratedColumns = 'iid' | 'created_at' | 'updated_at' | 'started_at' | 'finished_at';
export type NewPipeline = Omit<Insertable<PipelinesTable>, GeneratedColumns> & { readonly finished_at?: number | null };

/** Inserts a pipeline with the next IID of its project. */
export async function insertPipeline(trx: Writer, row: NewPipeline): Promise<PipelineRow> {
  const iid = await nextInternalId(trx, { project_id: row.project_id }, 'pipelines');
  const now = Date.now();
  return trx
    .insertInto('pipelines')
    .values({ finished_at: null, ...row, iid, created_at: now, updated_at: now, started_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The IID that the next pipeline of a project will get, unless another is created first. */
export const nextPipelineIid = (db: Reader, projectId: number): Promise<number> =>
  upcomingInternalId(db, { project_id: projectId }, 'pipelines');

/** Inserts an imported pipeline with its own IID and timestamps. */
export async function insertImportedPipeline(trx: Writer, row: Insertable<PipelinesTable>): Promise<number> {
  await reserveInternalId(trx, { project_id: row.project_id }, 'pipelines', row.iid);
  const { id } = await trx.insertInto('pipelines').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Stores the variables of a pipeline. The last value of a duplicate key wins. */
export async function insertPipelineVariables(
  trx: Writer,
  encryption: Encryption,
  pipelineId: number,
  variables: readonly PipelineVariable[],
): Promise<void> {
  const rows = new Map(
    variables.map(({ key, value, variableType, raw }) => [
      key,
      {
        pipeline_id: pipelineId,
        key,
        value: encryption.encrypt(value, purpose),
        variable_type: variableType,
        raw: raw ? 1 : 0,
      },
    ]),
  );
  if (rows.size > 0)
    await trx
      .insertInto('pipeline_variables')
      .values([...rows.values()])
      .execute();
}

/** The variables of a pipeline, ordered by key. */
export async function pipelineVariables(
  db: Reader,
  encryption: Encryption,
  pipelineId: number,
): Promise<Required<PipelineVariable>[]> {
  const rows = await db
    .selectFrom('pipeline_variables')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .execute();
  return rows.map(({ key, value, variable_type, raw }) => ({
    key,
    value: encryption.decrypt(value, purpose),
    variableType: variable_type,
    raw: raw === 1,
  }));
}

export function pipelineOfProject(db: Reader, projectId: number, id: number): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function pipelinesById(db: Reader, ids: readonly number[]): Promise<PipelineRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
}

/** Running pipelines of the same ref on other commits, created since the given time. */
export function olderPipelines(db: Reader, pipeline: PipelineRow, since: number): Promise<PipelineRow[]> {
  return (
    db
      .selectFrom('pipelines')
      .selectAll()
      .where('project_id', '=', pipeline.project_id)
      .where('ref', '=', pipeline.ref)
      .where('tag', '=', pipeline.tag)
      .where('id', '<', pipeline.id)
      .where('sha', '!=', pipeline.sha)
      .where('source', '!=', 'external')
      .where('created_at', '>=', since)
      // Repeats the condition of the partial index on running pipelines.
      .where(sql<SqlBool>`status not in ('success', 'failed', 'canceled', 'skipped')`)
      .orderBy('id', 'desc')
      .limit(maxPipelines)
      .execute()
  );
}

/** The newest pipeline of a schedule. */
export function newestOfSchedule(db: Reader, scheduleId: number): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function deletePipeline(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('pipelines').where('id', '=', id).execute();
}

/** Locks a pipeline until the transaction ends and returns its current row. */
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

/** Whether a job that is allowed to fail has failed. */
export async function hasWarnings(db: Reader, pipelineId: number): Promise<boolean> {
  const row = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .where('allow_failure', '=', 1)
    .where('status', 'in', ['failed', 'canceled'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
