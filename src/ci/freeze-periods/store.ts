import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { FreezePeriodRow, FreezePeriodsTable } from './tables.ts';

export function listPeriods(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

/** All freeze periods of a project; their number is limited. */
export function periodsOfProject(db: Reader, projectId: number): Promise<FreezePeriodRow[]> {
  return db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId).orderBy('id').execute();
}

export function periodOfProject(db: Reader, projectId: number, id: number): Promise<FreezePeriodRow | undefined> {
  return db
    .selectFrom('freeze_periods')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function countPeriods(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('freeze_periods')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertPeriod(trx: Writer, row: Insertable<FreezePeriodsTable>): Promise<FreezePeriodRow> {
  return trx.insertInto('freeze_periods').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updatePeriod(
  trx: Writer,
  id: number,
  change: Updateable<FreezePeriodsTable>,
): Promise<FreezePeriodRow | undefined> {
  return trx.updateTable('freeze_periods').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deletePeriod(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('freeze_periods').where('id', '=', id).execute();
}
