import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { JobArtifactRow, JobArtifactsTable } from './tables.ts';

export function artifactOf(db: Reader, jobId: number, type: string): Promise<JobArtifactRow | undefined> {
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .executeTakeFirst();
}

/** The archives that these jobs have left. */
export async function archivesOf(db: Reader, jobIds: readonly number[]): Promise<JobArtifactRow[]> {
  if (jobIds.length === 0) return [];
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', 'in', jobIds)
    .where('file_type', '=', 'archive')
    .execute();
}

export function insertArtifact(trx: Writer, row: Insertable<JobArtifactsTable>): Promise<JobArtifactRow> {
  return trx.insertInto('job_artifacts').values(row).returningAll().executeTakeFirstOrThrow();
}
