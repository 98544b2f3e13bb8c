import type { Reader, Writer } from '../../platform/database/database.ts';
import type { RepositoryHealthRow } from './tables.ts';

export function findReport(db: Reader, projectId: number): Promise<RepositoryHealthRow | undefined> {
  return db.selectFrom('repository_health').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Replaces the report of a project. Does nothing if the project has been deleted. */
export async function saveReport(trx: Writer, row: RepositoryHealthRow): Promise<void> {
  const { project_id, ...rest } = row;
  const project = await trx.selectFrom('projects').select('id').where('id', '=', project_id).executeTakeFirst();
  if (!project) return;
  await trx
    .insertInto('repository_health')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(rest))
    .execute();
}
