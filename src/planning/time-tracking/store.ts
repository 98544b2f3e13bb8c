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

/** Copies the timelogs of one target to another. */
export async function copyTimelogs(
  trx: Writer,
  { type, id }: Target,
  to: { readonly id: number; readonly project_id: number },
): Promise<void> {
  await trx
    .insertInto('timelogs')
    .columns(['target_type', 'target_id', 'project_id', 'user_id', 'seconds', 'summary', 'spent_at', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('timelogs')
        .select(({ val }) => [
          'target_type',
          val(to.id).as('target_id'),
          val(to.project_id).as('project_id'),
          'user_id',
          'seconds',
          'summary',
          'spent_at',
          'created_at',
        ])
        .where('target_type', '=', type)
        .where('target_id', '=', id)
        .orderBy('id'),
    )
    .execute();
}

/** Transfers the timelogs of a deleted user to the heir, or deletes them if there is none. */
export async function handOverTimelogs(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to === null) await trx.deleteFrom('timelogs').where('user_id', '=', from).execute();
  else await trx.updateTable('timelogs').set({ user_id: to }).where('user_id', '=', from).execute();
}
