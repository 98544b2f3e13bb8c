import { type Insertable, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Encryption } from '../../platform/secrets/encryption.ts';
import type { JobArtifactRow, JobArtifactsTable } from './tables.ts';

const purpose = 'job_dotenv_variables.value';

export function artifactOf(db: Reader, jobId: number, type: string): Promise<JobArtifactRow | undefined> {
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .executeTakeFirst();
}

/** The artifacts of one type of these jobs. */
export async function artifactsOfJobs(db: Reader, jobIds: readonly number[], type: string): Promise<JobArtifactRow[]> {
  if (jobIds.length === 0) return [];
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', 'in', jobIds)
    .where('file_type', '=', type)
    .orderBy('job_id')
    .execute();
}

/** The archives of these jobs. */
export function archivesOf(db: Reader, jobIds: readonly number[]): Promise<JobArtifactRow[]> {
  return artifactsOfJobs(db, jobIds, 'archive');
}

export function insertArtifact(trx: Writer, row: Insertable<JobArtifactsTable>): Promise<JobArtifactRow> {
  return trx.insertInto('job_artifacts').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Marks the artifacts of a job as kept and removes their expiry date. */
export async function keepArtifacts(trx: Writer, jobId: number): Promise<void> {
  await trx.updateTable('job_artifacts').set({ expire_at: null, kept: 1 }).where('job_id', '=', jobId).execute();
}

/** Expires all artifacts of a project except kept ones and logs. */
export async function expireProject(trx: Writer, projectId: number, at: number): Promise<void> {
  await trx
    .updateTable('job_artifacts')
    .set({ expire_at: at })
    .where('project_id', '=', projectId)
    .where('file_type', '<>', 'trace')
    .where('kept', '=', 0)
    .where((eb) => eb.or([eb('expire_at', 'is', null), eb('expire_at', '>', at)]))
    .execute();
}

/** IDs, after a given one, of expired artifacts whose pipelines are not locked. */
export async function expiredArtifacts(db: Reader, at: number, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('job_artifacts as a')
    .innerJoin('ci_jobs as j', 'j.id', 'a.job_id')
    .innerJoin('pipelines as p', 'p.id', 'j.pipeline_id')
    .select('a.id')
    .where('a.expire_at', '<=', at)
    .where('a.id', '>', afterId)
    .where('p.locked', '=', 0)
    .orderBy('a.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Which artifacts to delete. */
export type DeletionScope =
  | { readonly ids: readonly number[] }
  | { readonly jobId: number; readonly log: boolean }
  | { readonly pipelineId: number }
  | { readonly projectId: number };

function inDeletionScope(scope: DeletionScope) {
  if ('ids' in scope) return sql<SqlBool>`id in (${sql.join([...scope.ids])})`;
  if ('projectId' in scope) return sql<SqlBool>`project_id = ${scope.projectId}`;
  if ('pipelineId' in scope) {
    return sql<SqlBool>`job_id in (select j.id from ci_jobs j where j.pipeline_id = ${scope.pipelineId})`;
  }
  const log = scope.log ? sql`` : sql` and file_type <> 'trace'`;
  return sql<SqlBool>`job_id = ${scope.jobId}${log}`;
}

/** Deletes artifacts and schedules their files for deletion. */
export async function deleteArtifacts(trx: Writer, scope: DeletionScope): Promise<void> {
  const condition = inDeletionScope(scope);
  await trx
    .insertInto('deleted_artifact_files')
    .columns(['storage_key'])
    .expression(trx.selectFrom('job_artifacts').select('storage_key').where(condition))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.deleteFrom('job_artifacts').where(condition).execute();
}

export async function filesToDelete(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('deleted_artifact_files').select('storage_key').limit(limit).execute();
  return rows.map(({ storage_key }) => storage_key);
}

export async function forgetFiles(trx: Writer, keys: readonly string[]): Promise<void> {
  await trx.deleteFrom('deleted_artifact_files').where('storage_key', 'in', keys).execute();
}

/** Stores the dotenv variables of a job, encrypted. */
export async function setDotenv(
  trx: Writer,
  encryption: Encryption,
  jobId: number,
  variables: ReadonlyMap<string, string>,
): Promise<void> {
  await trx.deleteFrom('job_dotenv_variables').where('job_id', '=', jobId).execute();
  const rows = [...variables].map(([key, value]) => ({
    job_id: jobId,
    key,
    value: encryption.encrypt(value, purpose),
  }));
  if (rows.length > 0) await trx.insertInto('job_dotenv_variables').values(rows).execute();
}

/** The dotenv variables of these jobs, in the order of the jobs. */
export async function dotenvOf(db: Reader, encryption: Encryption, jobIds: readonly number[]) {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('job_dotenv_variables')
    .selectAll()
    .where('job_id', 'in', jobIds)
    .orderBy('job_id')
    .orderBy('key')
    .execute();
  return rows.map(({ key, value }) => ({ key, value: encryption.decrypt(value, purpose) }));
}
