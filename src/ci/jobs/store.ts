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

/** Rows that go into one statement: each has some twenty values, and statements may not have any number of them. */
const rowsAtOnce = 100;

/** Adds jobs, in their order. */
export async function insertJobs(trx: Writer, rows: readonly NewJob[]): Promise<void> {
  const pace = new Pace();
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await pace.turn();
    await trx
      .insertInto('ci_jobs')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute();
  }
}

export function insertJob(trx: Writer, row: NewJob): Promise<CiJobRow> {
  return trx.insertInto('ci_jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

/** A job as it is now; nobody else changes it until the transaction ends. */
export function lockJob(trx: Writer, id: number): Promise<CiJobRow | undefined> {
  return lockRow(trx, 'ci_jobs', id);
}

export function updateJob(trx: Writer, id: number, change: JobChange): Promise<CiJobRow> {
  return trx.updateTable('ci_jobs').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export function jobById(db: Reader, id: number): Promise<CiJobRow | undefined> {
  return db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The job that has a token; tokens of jobs that are over have no effect, which is for the caller to see to. */
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

/** The newest attempt of every job of a pipeline. */
export function currentJobs(db: Reader, pipelineId: number): Promise<CiJobRow[]> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();
}

/** The newest attempts of a job of this name in each of these pipelines. */
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

/** What processing asks of the newest attempt of each job: without the scripts, which may be long. */
export type OutlinedJob = Pick<
  CiJobRow,
  | 'id'
  | 'name'
  | 'kind'
  | 'stage_index'
  | 'status'
  | 'allow_failure'
  | 'starts'
  | 'needs'
  | 'started_at'
  | 'finished_at'
  | 'coverage'
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
      'needs',
      'started_at',
      'finished_at',
      'coverage',
    ])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();
}

/** The names in a pipeline of which there has been more than one attempt. */
export async function retriedNames(db: Reader, pipelineId: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select('name')
    .distinct()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 1)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** How many attempts of a job have been retried. */
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

/** What outside services report in a pipeline counts like its jobs. */
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

/** What a machine of a runner has said that it can do. */
export async function managerFeatures(db: Reader, managerId: number): Promise<Readonly<Record<string, unknown>>> {
  const row = await db.selectFrom('runner_managers').select('features').where('id', '=', managerId).executeTakeFirst();
  return row ? storedRecord(row.features) : {};
}

/** Whether the machine that runs a job has said that it stops by itself when it is told to. */
export async function stopsGracefully(db: Reader, managerId: number | null): Promise<boolean> {
  return managerId !== null && (await managerFeatures(db, managerId)).cancel_gracefully === true;
}

/** Whether a job has left any file. */
export async function hasArtifacts(db: Reader, jobId: number): Promise<boolean> {
  const row = await db.selectFrom('job_artifacts').select('id').where('job_id', '=', jobId).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Jobs of a project that wait or run. */
export async function countActiveJobs(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('ci_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('status', 'in', [...active, 'created', 'canceling'])
    .executeTakeFirstOrThrow();
  return Number(count);
}
