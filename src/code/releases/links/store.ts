import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { ReleaseLinkRow } from '../tables.ts';

export function listLinks(
  db: Reader,
  release: number,
  slice: Slice,
): Promise<{ rows: ReleaseLinkRow[]; total: number }> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', release);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

export function findLink(db: Reader, release: number, id: number): Promise<ReleaseLinkRow | undefined> {
  return db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', release)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function findLinkByPath(db: Reader, release: number, filepath: string): Promise<ReleaseLinkRow | undefined> {
  return db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', release)
    .where('filepath', '=', filepath)
    .executeTakeFirst();
}

export function insertLink(trx: Writer, row: Omit<ReleaseLinkRow, 'id'>): Promise<ReleaseLinkRow> {
  return trx.insertInto('release_links').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateLink(trx: Writer, id: number, change: Partial<ReleaseLinkRow>): Promise<ReleaseLinkRow> {
  return trx.updateTable('release_links').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteLink(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('release_links').where('id', '=', id).execute();
}
