import type { Insertable } from 'kysely';
import type { Writer } from '../../platform/database/database.ts';
import type { Target } from '../target.ts';
import type { TimelogsTable } from './tables.ts';

export async function insertTimelog(trx: Writer, row: Insertable<TimelogsTable>): Promise<void> {
  await trx.insertInto('timelogs').values(row).execute();
}

export async function deleteTimelogs(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('timelogs').where('target_type', '=', type).where('target_id', 'in', ids).execute();
}

/** Time that was spent stays spent, as the heir's; without one it is forgotten. */
export async function handOverTimelogs(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to === null) await trx.deleteFrom('timelogs').where('user_id', '=', from).execute();
  else await trx.updateTable('timelogs').set({ user_id: to }).where('user_id', '=', from).execute();
}
