import type { Reader, Writer } from '../../platform/database/database.ts';
import type { ReceivedMail } from './tables.ts';

/** Returns the row of a source message, inserting it if it does not exist. */
export async function noteSource(trx: Writer, source: string, file: string, now: number): Promise<ReceivedMail> {
  await trx
    .insertInto('received_mail')
    .values({ source, file, received_at: now })
    .onConflict((conflict) => conflict.column('source').doNothing())
    .execute();
  return trx.selectFrom('received_mail').selectAll().where('source', '=', source).executeTakeFirstOrThrow();
}

/** Returns false if a concurrent call has marked it already. */
export async function markQueued(trx: Writer, id: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('received_mail')
    .set({ queued: 1 })
    .where('id', '=', id)
    .where('queued', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findReceived(db: Reader, id: number): Promise<ReceivedMail | undefined> {
  return db.selectFrom('received_mail').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function hasIdentity(db: Reader, identity: string): Promise<boolean> {
  const found = await db.selectFrom('received_mail').select('id').where('identity', '=', identity).executeTakeFirst();
  return found !== undefined;
}

export async function noteIdentity(trx: Writer, id: number, identity: string): Promise<void> {
  await trx.updateTable('received_mail').set({ identity }).where('id', '=', id).execute();
}

export async function recordRejection(trx: Writer, id: number, sender: string): Promise<void> {
  await trx.updateTable('received_mail').set({ sender, answered: 1 }).where('id', '=', id).execute();
}

/** Whether a sender got at least `times` rejections since an instant. */
export async function reachedRejectionLimit(
  db: Reader,
  sender: string,
  times: number,
  since: number,
): Promise<boolean> {
  const found = await db
    .selectFrom('received_mail')
    .select('id')
    .where('sender', '=', sender)
    .where('answered', '=', 1)
    .where('received_at', '>', since)
    .limit(times)
    .execute();
  return found.length >= times;
}

export function receivedBefore(
  db: Reader,
  instant: number,
  most: number,
): Promise<Pick<ReceivedMail, 'id' | 'file'>[]> {
  return db
    .selectFrom('received_mail')
    .select(['id', 'file'])
    .where('received_at', '<', instant)
    .orderBy('received_at')
    .limit(most)
    .execute();
}

export async function deleteReceived(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('received_mail').where('id', 'in', ids).execute();
}

/** Returns the generation of a user's incoming mail token, which each rotation increments. */
export async function generationOf(db: Reader, userId: number): Promise<number> {
  const found = await db
    .selectFrom('mail_address_generations')
    .select('generation')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return found?.generation ?? 0;
}

export async function nextGeneration(trx: Writer, userId: number): Promise<number> {
  const { generation } = await trx
    .insertInto('mail_address_generations')
    .values({ user_id: userId, generation: 1 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((eb) => ({ generation: eb('mail_address_generations.generation', '+', 1) })),
    )
    .returning('generation')
    .executeTakeFirstOrThrow();
  return generation;
}
