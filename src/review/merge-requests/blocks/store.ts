import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { BlockRow } from './tables.ts';

const waiting = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_blocks as b')
    .innerJoin('merge_requests as m', 'm.id', 'b.blocking_id')
    .select('b.blocked_id')
    .distinct()
    .where('b.blocked_id', 'in', param.ids('ids'))
    .where('m.state', '<>', 'merged'),
);

/** Filters merge requests to those blocked by an unmerged one. */
export async function blockedOf(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = ids.length === 0 ? [] : await waiting.all(db, { ids });
  return new Set(rows.map(({ blocked_id }) => blocked_id));
}

/** Open merge requests blocked by this one. */
export async function openBlockees(db: Reader, id: number): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_request_blocks as b')
    .innerJoin('merge_requests as m', 'm.id', 'b.blocked_id')
    .selectAll('m')
    .where('b.blocking_id', '=', id)
    .where('m.state', '=', 'opened')
    .limit(1000)
    .execute();
}

const one = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('merge_request_blocks').selectAll().where('id', '=', param('id')),
);

export function findBlock(db: Reader, id: number): Promise<BlockRow | undefined> {
  return one.first(db, { id });
}

export async function blocks(db: Reader, blocking_id: number, blocked_id: number): Promise<boolean> {
  const rows = db.selectFrom('merge_request_blocks').select('id').where('blocked_id', '=', blocked_id);
  return (await rows.where('blocking_id', '=', blocking_id).executeTakeFirst()) !== undefined;
}

/** Returns undefined if the dependency already exists. */
export function insertBlock(trx: Writer, blocking_id: number, blocked_id: number): Promise<BlockRow | undefined> {
  return trx
    .insertInto('merge_request_blocks')
    .values({ blocking_id, blocked_id })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function deleteBlock(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('merge_request_blocks').where('id', '=', id).execute();
}
