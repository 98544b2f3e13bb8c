import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import type { CadenceRow, IterationCadencesTable } from '../tables.ts';

export const cadenceList = list({
  id: 'iteration_cadences.id',
  scope: boundProperties<{ readonly group: number }>()({ values: ['group'] }),
  filters: {},
  orders: { id: byId },
  select: (db, { group }) =>
    db
      .selectFrom('iteration_cadences')
      .selectAll('iteration_cadences')
      .where('iteration_cadences.namespace_id', '=', group),
});

export function findCadence(db: Reader, group: number, id: number): Promise<CadenceRow | undefined> {
  return db
    .selectFrom('iteration_cadences')
    .selectAll()
    .where('id', '=', id)
    .where('namespace_id', '=', group)
    .executeTakeFirst();
}

export function insertCadence(trx: Writer, row: Insertable<IterationCadencesTable>): Promise<CadenceRow> {
  return trx.insertInto('iteration_cadences').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteCadence(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('iteration_cadences').where('id', '=', id).execute();
}

/** Returns a batch of automatic cadences, by ID. */
export async function automaticAfter(db: Reader, id: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('iteration_cadences')
    .select('id')
    .where('id', '>', id)
    .where('automatic', '=', 1)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}
