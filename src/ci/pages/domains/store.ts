import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { DomainRow, NewDomainRow } from '../tables.ts';

export function domainNamed(db: Reader, domain: string): Promise<DomainRow | undefined> {
  return db.selectFrom('pages_domains').selectAll().where('domain', '=', domain).executeTakeFirst();
}

export function domainById(db: Reader, id: number): Promise<DomainRow | undefined> {
  return db.selectFrom('pages_domains').selectAll().where('id', '=', id).executeTakeFirst();
}

export function listDomains(db: Reader, slice: Slice) {
  return fetchPage(db, db.selectFrom('pages_domains').selectAll().orderBy('id'), slice);
}

export function listOfProject(db: Reader, projectId: number, slice: Slice) {
  return fetchPage(
    db,
    db.selectFrom('pages_domains').selectAll().where('project_id', '=', projectId).orderBy('id'),
    slice,
  );
}

export function insertDomain(trx: Writer, row: NewDomainRow): Promise<DomainRow> {
  return trx.insertInto('pages_domains').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateDomain(trx: Writer, id: number, change: Partial<Omit<DomainRow, 'id'>>): Promise<DomainRow> {
  return trx.updateTable('pages_domains').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteDomain(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('pages_domains').where('id', '=', id).execute();
}

/** Domains that are unverified, or whose verification ends before an instant, with IDs above `afterId`. */
export function domainsDue(db: Reader, before: number, afterId: number, limit: number): Promise<DomainRow[]> {
  return db
    .selectFrom('pages_domains')
    .selectAll()
    .where((eb) => eb.or([eb('enabled_until', 'is', null), eb('enabled_until', '<', before)]))
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteUnproven(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('pages_domains').where('remove_at', '<=', now).execute();
}
