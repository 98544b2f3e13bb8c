import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../../platform/database/database.ts';
import type { Slice } from '../../../../platform/database/paging.ts';
import { fetchPage } from '../../../../platform/list-kit/fetch-page.ts';
import type { DebianDistributionRow, DebianDistributionsTable } from '../../tables.ts';

/** The project or group that a distribution belongs to. */
export type Place = { readonly project_id: number } | { readonly group_id: number };

function distributions(db: Reader, place: Place) {
  const all = db.selectFrom('debian_distributions').selectAll();
  return 'project_id' in place
    ? all.where('project_id', '=', place.project_id)
    : all.where('group_id', '=', place.group_id);
}

export function listDistributions(
  db: Reader,
  place: Place,
  { codename, suite }: { readonly codename?: string | undefined; readonly suite?: string | undefined },
  slice: Slice,
) {
  let query = distributions(db, place);
  if (codename !== undefined) query = query.where('codename', '=', codename);
  if (suite !== undefined) query = query.where('suite', '=', suite);
  return fetchPage(db, query.orderBy('codename'), slice);
}

export function distributionWithCodename(
  db: Reader,
  place: Place,
  codename: string,
): Promise<DebianDistributionRow | undefined> {
  return distributions(db, place).where('codename', '=', codename).executeTakeFirst();
}

export function distributionWithSuite(
  db: Reader,
  place: Place,
  suite: string,
): Promise<DebianDistributionRow | undefined> {
  return distributions(db, place).where('suite', '=', suite).executeTakeFirst();
}

export function distributionById(db: Reader, id: number): Promise<DebianDistributionRow | undefined> {
  return db.selectFrom('debian_distributions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a distribution by codename or suite. */
export async function distributionNamed(db: Reader, place: Place, name: string) {
  return (await distributionWithCodename(db, place, name)) ?? distributionWithSuite(db, place, name);
}

export function insertDistribution(
  trx: Writer,
  row: Insertable<DebianDistributionsTable>,
): Promise<DebianDistributionRow> {
  return trx.insertInto('debian_distributions').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateDistribution(
  trx: Writer,
  id: number,
  change: Partial<DebianDistributionRow>,
): Promise<DebianDistributionRow> {
  return trx
    .updateTable('debian_distributions')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteDistribution(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('debian_distributions').where('id', '=', id).execute();
}
