import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { ProjectAliasRow } from './tables.ts';

export function listAliases(db: Reader, slice: Slice): Promise<{ rows: ProjectAliasRow[]; total: number }> {
  return fetchPage(db, db.selectFrom('project_aliases').selectAll().orderBy('id'), slice);
}

export function findAlias(db: Reader, name: string): Promise<ProjectAliasRow | undefined> {
  return db.selectFrom('project_aliases').selectAll().where('name', '=', name).executeTakeFirst();
}

export function insertAlias(trx: Writer, project_id: number, name: string): Promise<ProjectAliasRow> {
  return trx.insertInto('project_aliases').values({ project_id, name }).returningAll().executeTakeFirstOrThrow();
}

/** Returns whether the alias existed. */
export async function deleteAlias(trx: Writer, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('project_aliases').where('name', '=', name).executeTakeFirst();
  return numDeletedRows > 0n;
}
