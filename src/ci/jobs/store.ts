import type { Insertable } from 'kysely';
import { Pace } from '../../platform/concurrency.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { storedRecord } from '../../platform/stored-json.ts';
import type { StatusPart } from '../states/public.ts';
import { active, isStatus } from '../states/public.ts';
import type { CiJobRow, CiJobsTable } from './tables.ts';

export type NewJob = Insertable<CiJobsTable>;
export type JobChange = Partial<Omit<CiJobRow, 'id' | 'project_id' | 'pipeline_id'>>;

/** Rows per insert statement: each has some twenty values, and the number of parameters is limited. */
const insertBatchSize = 100;

/** Inserts jobs in the given order. */
export async function insertJobs(trx: Writer, rows: readonly NewJob[]): Promise<void> {
  const pace = new Pace();
  for (let at = 0; at < rows.length; at += insertBatchSize) {
    await pace.turn();
    await trx
      .insertInto('ci_jobs')
      .values(rows.slice(at, at + insertBatchSize))
      .execute();
  }
}

export function insertJob(trx: Writer, row: NewJob): Promise<CiJobRow> {
  return trx.insertInto('ci_jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Locks a job until the transaction ends and returns its current row. */
export function lockJob(trx: Writer, id: number): Promise<CiJobRow | undefined> {
  return lockRow(trx, 'ci_jobs', id);
}

export function updateJob(trx: Writer, id: number, change: JobChange): Promise<CiJobRow> {
  return trx.updateTable('ci_jobs').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export function jobById(db: Reader, id: number): Promise<CiJobRow | undefined> {
  return db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a job by its token digest. The caller must check that the job is running. */
export function jobByToken(db: Reader, tokenDigest: string): Promise<CiJobRow | undefined> {
  return db.selectFrom('ci_jobs').selectAll().where('token_digest', '=', tokenDigest).executeTakeFirst();
}

export function jobOfProject(db: Reader, projectId: number, id: number): Promise<CiJobRow | undefined> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** The latest attempt of every job of a pipeline. */
export function currentJobs(db: Reader, pipelineId: number): Promise<CiJobRow[]> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();
}

/** The latest attempt of the job with this name in each of these pipelines. */
export async function jobsNamed(db: Reader, pipelineIds: readonly number[], name: string): Promise<CiJobRow[]> {
  if (pipelineIds.length === 0) return [];
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', 'in', pipelineIds)
    .where('name', '=', name)
    .where('kind', '=', 'build')
    .where('retried', '=', 0)
    .execute();
}

/** Columns needed for processing; excludes the scripts, which may be long. */
export type OutlinedJob = Pick<
  CiJobRow,
  | 'id'
  | 'name'
  | 'kind'
  | 'stage_index'
  | 'status'
  | 'allow_failure'
  | 'starts'
  | 'starts_at_once'
  | 'needs'
  | 'started_at'
  | 'finished_at'
>;

export function outlinedJobs(db: Reader, pipelineId: number): Promise<OutlinedJob[]> {
  return db
    .selectFrom('ci_jobs')
    .select([
      'id',
      'name',
      'kind',
      'stage_index',
      'status',
      'allow_failure',
      'starts',
      'starts_at_once',
      'needs',
      'started_at',
      'finished_at',
    ])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();
}

/** Number of previous attempts of a job. */
export async function countRetries(db: Reader, { pipeline_id, name }: CiJobRow): Promise<number> {
  const { count } = await db
    .selectFrom('ci_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('retried', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Statuses of external services, which count towards the pipeline status like jobs. */
export async function externalParts(db: Reader, pipelineId: number): Promise<StatusPart[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .select(['status', 'allow_failure'])
    .distinct()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .execute();
  return rows.flatMap(({ status, allow_failure }) =>
    isStatus(status) ? [{ status, allowFailure: allow_failure === 1 }] : [],
  );
}

/** Mean of the coverage that the current jobs and external statuses of a pipeline report; null without any. */
export async function meanCoverage(db: Reader, pipelineId: number): Promise<number | null> {
  const jobs = db
    .selectFrom('ci_jobs')
    .select('coverage')
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0);
  const statuses = db
    .selectFrom('commit_statuses')
    .select('coverage')
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0);
  const { mean } = await db
    .selectFrom(jobs.unionAll(statuses).as('reported'))
    .select((eb) => eb.fn.avg<number | null>('coverage').as('mean'))
    .executeTakeFirstOrThrow();
  return mean;
}

/** Features reported by a runner manager. */
export async function managerFeatures(db: Reader, managerId: number): Promise<Readonly<Record<string, unknown>>> {
  const row = await db.selectFrom('runner_managers').select('features').where('id', '=', managerId).executeTakeFirst();
  return row ? storedRecord(row.features) : {};
}

/** Whether the runner manager of a job supports graceful cancellation. */
export async function stopsGracefully(db: Reader, managerId: number | null): Promise<boolean> {
  return managerId !== null && (await managerFeatures(db, managerId)).cancel_gracefully === true;
}

/** Whether a job has any artifacts. */
export async function hasArtifacts(db: Reader, jobId: number): Promise<boolean> {
  const row = await db.selectFrom('job_artifacts').select('id').where('job_id', '=', jobId).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Number of active jobs of a project. */
export async function countActiveJobs(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('ci_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('status', 'in', [...active, 'created', 'canceling'])
    .executeTakeFirstOrThrow();
  return Number(count);
}
