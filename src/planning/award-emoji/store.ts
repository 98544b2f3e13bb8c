import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { Target } from '../target.ts';
import type { AwardEmojiTable, AwardRow } from './tables.ts';

/** Returns a page of the reactions to a target, oldest first. */
export function awardsOf(db: Reader, { type, id }: Target, slice: Slice) {
  const query = db
    .selectFrom('award_emoji')
    .selectAll()
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', id)
    .orderBy('id');
  return fetchPage(db, query, slice);
}

const countsOfNotes = statement((db, param: Param<{ ids: readonly number[]; user: number }>) =>
  db
    .selectFrom('award_emoji')
    .select([
      'awardable_id',
      'name',
      (eb) => eb.fn.countAll<number>().as('count'),
      (eb) => eb.fn.max(eb.case().when('user_id', '=', param('user')).then(eb.ref('id')).end()).as('own'),
      (eb) => eb.fn.min('id').as('first'),
    ])
    .where('awardable_type', '=', 'Note')
    .where('awardable_id', 'in', param.ids('ids'))
    .groupBy(['awardable_id', 'name'])
    .orderBy('first')
    .limit(2000),
);

/** Number of reactions to notes by emoji, in the order in which each emoji was first used. */
export function countReactions(db: Reader, noteIds: readonly number[], userId: number) {
  return countsOfNotes.all(db, { ids: noteIds, user: userId });
}

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('award_emoji').selectAll().where('id', '=', param('id')),
);

export function findAward(db: Reader, id: number): Promise<AwardRow | undefined> {
  return byId.first(db, { id });
}

/** The user's reaction to a target with this emoji. */
export function findOwnAward(
  db: Reader,
  { type, id }: Target,
  userId: number,
  name: string,
): Promise<AwardRow | undefined> {
  return db
    .selectFrom('award_emoji')
    .selectAll()
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', id)
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Returns undefined if the user has already added the same reaction. */
export function insertAward(trx: Writer, row: Insertable<AwardEmojiTable>): Promise<AwardRow | undefined> {
  return trx
    .insertInto('award_emoji')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Returns whether the reaction existed. */
export async function deleteAward(trx: Writer, id: number): Promise<boolean> {
  const deleted = await trx.deleteFrom('award_emoji').where('id', '=', id).returning('id').executeTakeFirst();
  return deleted !== undefined;
}

/** Deletes the reactions to targets that are being deleted. */
export async function deleteAwardsOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('award_emoji').where('awardable_type', '=', type).where('awardable_id', 'in', ids).execute();
}

/** Deletes the reactions to all notes on targets that are being deleted. */
export async function deleteAwardsOfNotes(trx: Writer, about: Target['type'], ids: readonly number[]): Promise<void> {
  await trx
    .deleteFrom('award_emoji')
    .where('awardable_type', '=', 'Note')
    .where('awardable_id', 'in', ({ selectFrom }) =>
      selectFrom('notes').select('notes.id').where('noteable_type', '=', about).where('noteable_id', 'in', ids),
    )
    .execute();
}

const copyBatchSize = 500;

/** Copies reactions from targets to others, keeping their users. */
export async function copyAwards(
  trx: Writer,
  type: Target['type'],
  copies: ReadonlyMap<number, number>,
  owner: Pick<Target, 'project_id' | 'namespace_id'>,
  asType: Target['type'] = type,
): Promise<void> {
  if (copies.size === 0) return;
  for (let last = 0; ; ) {
    const rows = await trx
      .selectFrom('award_emoji')
      .selectAll()
      .where('awardable_type', '=', type)
      .where('awardable_id', 'in', [...copies.keys()])
      .where('id', '>', last)
      .orderBy('id')
      .limit(copyBatchSize)
      .execute();
    if (rows.length === 0) return;
    const { project_id, namespace_id } = owner;
    const values = rows.map(({ id: _, ...row }) => ({
      ...row,
      awardable_type: asType,
      awardable_id: copies.get(row.awardable_id) ?? row.awardable_id,
      project_id,
      namespace_id,
    }));
    await trx.insertInto('award_emoji').values(values).execute();
    last = rows.at(-1)?.id ?? last;
  }
}

const votes = statement((db, param: Param<{ type: string; ids: readonly number[] }>) =>
  db
    .selectFrom('award_emoji')
    .select(({ fn }) => ['awardable_id', 'name', fn.countAll<number>().as('count')])
    .where('awardable_type', '=', param('type'))
    .where('awardable_id', 'in', param.ids('ids'))
    .where('name', 'in', ['thumbsup', 'thumbsdown'])
    .groupBy(['awardable_id', 'name']),
);

export interface Votes {
  readonly upvotes: number;
  readonly downvotes: number;
}

/** Vote counts of targets that do not store them, by ID; targets without votes are left out. */
export async function votesOn(
  db: Reader,
  type: Target['type'],
  ids: readonly number[],
): Promise<ReadonlyMap<number, Votes>> {
  const rows = ids.length === 0 ? [] : await votes.all(db, { type, ids });
  const counts = new Map<number, { upvotes: number; downvotes: number }>();
  for (const { awardable_id, name, count } of rows) {
    const held = counts.get(awardable_id) ?? { upvotes: 0, downvotes: 0 };
    counts.set(awardable_id, { ...held, [name === 'thumbsup' ? 'upvotes' : 'downvotes']: Number(count) });
  }
  return counts;
}

/** Transfers reactions to another user, except where that user has added the same. */
export async function handOverAwards(trx: Writer, from: number, to: number): Promise<void> {
  await trx
    .updateTable('award_emoji')
    .set({ user_id: to })
    .where('user_id', '=', from)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('award_emoji as held')
            .select('held.id')
            .whereRef('held.awardable_type', '=', 'award_emoji.awardable_type')
            .whereRef('held.awardable_id', '=', 'award_emoji.awardable_id')
            .whereRef('held.name', '=', 'award_emoji.name')
            .where('held.user_id', '=', to),
        ),
      ),
    )
    .execute();
}

/** Deletes a batch of a user's reactions and returns them. */
export async function deleteAwardBatch(trx: Writer, userId: number, limit: number): Promise<AwardRow[]> {
  return trx
    .deleteFrom('award_emoji')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('award_emoji as one').select('one.id').where('one.user_id', '=', userId).limit(limit),
    )
    .returningAll()
    .execute();
}
