import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { EpicLinkRow, EpicLinksTable } from '../tables.ts';

/** Maximum number of links returned; the endpoint has no pagination. */
const most = 1000;

const linksAt = statement((db, param: Param<{ id: number; most: number }>) =>
  db
    .selectFrom('epic_links')
    .selectAll()
    .where((eb) => eb.or([eb('source_id', '=', param('id')), eb('target_id', '=', param('id'))]))
    .orderBy('id')
    .limit(param('most')),
);

/** Links from and to an epic. */
export function linksOf(db: Reader, id: number): Promise<EpicLinkRow[]> {
  return linksAt.all(db, { id, most });
}

/** The link between two epics, in either direction. */
export function linkBetween(db: Reader, one: number, other: number): Promise<EpicLinkRow | undefined> {
  return db
    .selectFrom('epic_links')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('source_id', '=', one), eb('target_id', '=', other)]),
        eb.and([eb('source_id', '=', other), eb('target_id', '=', one)]),
      ]),
    )
    .executeTakeFirst();
}

export function insertLink(trx: Writer, row: Insertable<EpicLinksTable>): Promise<EpicLinkRow> {
  return trx.insertInto('epic_links').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteLink(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('epic_links').where('id', '=', id).execute();
}
