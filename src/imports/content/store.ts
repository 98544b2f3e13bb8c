import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { ImportSourceUserRow, ImportSourceUsersTable, ReassignmentStatus } from './tables.ts';

/** By what somebody on another host is known. */
export type SourceKey = Pick<
  ImportSourceUsersTable,
  'namespace_id' | 'import_type' | 'source_hostname' | 'source_user_id'
>;

export function findSourceUser(db: Reader, key: SourceKey): Promise<{ user_id: number } | undefined> {
  return db
    .selectFrom('import_source_users')
    .select('user_id')
    .where('namespace_id', '=', key.namespace_id)
    .where('import_type', '=', key.import_type)
    .where('source_hostname', '=', key.source_hostname)
    .where('source_user_id', '=', key.source_user_id)
    .executeTakeFirst();
}

export async function insertSourceUser(
  trx: Writer,
  row: Omit<Insertable<ImportSourceUsersTable>, 'reassign_to_id'>,
): Promise<void> {
  await trx
    .insertInto('import_source_users')
    .values({ ...row, reassign_to_id: null })
    .execute();
}

/** Without the account, whoever comes from the other host again is given another one. */
export async function forgetSourceUsers(trx: Writer, userId: number): Promise<void> {
  await trx.deleteFrom('import_source_users').where('user_id', '=', userId).execute();
  // Whom they were asked to stand for waits for somebody else.
  await trx
    .updateTable('import_source_users')
    .set({ status: 'pending_reassignment', reassign_to_id: null })
    .where('reassign_to_id', '=', userId)
    .execute();
}

/** Nobody is asked to stand for them. */
export const unassignedStatuses: readonly ReassignmentStatus[] = ['pending_reassignment', 'rejected'];

/** Asks somebody to stand for them; undefined when nobody of that name is waiting for it. */
export function askSourceUser(trx: Writer, key: SourceKey, userId: number): Promise<ImportSourceUserRow | undefined> {
  return trx
    .updateTable('import_source_users')
    .set({ status: 'awaiting_approval', reassign_to_id: userId })
    .where('namespace_id', '=', key.namespace_id)
    .where('import_type', '=', key.import_type)
    .where('source_hostname', '=', key.source_hostname)
    .where('source_user_id', '=', key.source_user_id)
    .where('status', 'in', unassignedStatuses)
    .returningAll()
    .executeTakeFirst();
}

export async function updateSourceUser(
  trx: Writer,
  id: number,
  columns: Partial<Pick<ImportSourceUserRow, 'status' | 'reassign_to_id' | 'user_id'>>,
): Promise<void> {
  await trx.updateTable('import_source_users').set(columns).where('id', '=', id).execute();
}

/** Whoever has confirmed an address as theirs. */
export async function userOfEmail(db: Reader, email: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('emails as e')
    .innerJoin('users as u', 'u.id', 'e.user_id')
    .select('u.id')
    .where((eb) => eb(eb.fn<string>('lower', ['e.email']), '=', email.toLowerCase()))
    .where('e.confirmed_at', 'is not', null)
    .where('u.kind', '=', 'human')
    .executeTakeFirst();
  return row?.id;
}
