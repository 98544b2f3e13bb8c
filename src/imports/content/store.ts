import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { ImportSourceUserRow, ImportSourceUsersTable, ReassignmentStatus } from './tables.ts';

/** Identifies a user of a source host. */
export type SourceUserKey = Pick<
  ImportSourceUsersTable,
  'namespace_id' | 'import_type' | 'source_hostname' | 'source_user_id'
>;

export function findSourceUser(db: Reader, key: SourceUserKey): Promise<{ user_id: number } | undefined> {
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

/** Whether imports into a group have created this many placeholders. */
export async function hasSourceUsers(db: Reader, namespaceId: number, count: number): Promise<boolean> {
  if (count === 0) return true;
  const last = await db
    .selectFrom('import_source_users')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Deletes the mapping of a removed account; the source user gets a new placeholder on the next import. */
export async function forgetSourceUsers(trx: Writer, userId: number): Promise<void> {
  await trx.deleteFrom('import_source_users').where('user_id', '=', userId).execute();
  // Pending reassignments to the removed user become available again.
  await trx
    .updateTable('import_source_users')
    .set({ status: 'pending_reassignment', reassign_to_id: null })
    .where('reassign_to_id', '=', userId)
    .execute();
}

/** Statuses without a user asked to accept the reassignment. */
export const unassignedStatuses: readonly ReassignmentStatus[] = ['pending_reassignment', 'rejected'];

/** Requests a reassignment; undefined if no unassigned source user matches. */
export function proposeReassignment(
  trx: Writer,
  key: SourceUserKey,
  userId: number,
): Promise<ImportSourceUserRow | undefined> {
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

/** The nearest label with a title in a namespace or its ancestor groups. */
export function findNearestLabel(db: Reader, namespaceId: number, title: string): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('labels as l')
    .innerJoin('namespace_ancestors as a', 'a.ancestor_id', 'l.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('l.id')
    .where('a.namespace_id', '=', namespaceId)
    .where('l.title', '=', title)
    .orderBy((eb) => eb.fn<number>('length', ['n.full_path']), 'desc')
    .executeTakeFirst();
}

/** The same for milestones. */
export function findNearestMilestone(
  db: Reader,
  namespaceId: number,
  title: string,
): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('milestones as m')
    .innerJoin('namespace_ancestors as a', 'a.ancestor_id', 'm.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('m.id')
    .where('a.namespace_id', '=', namespaceId)
    .where('m.title', '=', title)
    .orderBy((eb) => eb.fn<number>('length', ['n.full_path']), 'desc')
    .executeTakeFirst();
}

/** The same for epics, which have group-level numbers and need not have unique titles. */
export function findNearestEpic(
  db: Reader,
  namespaceId: number,
  { iid, title }: { readonly iid: number; readonly title: string },
): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('epics as e')
    .innerJoin('namespace_ancestors as a', 'a.ancestor_id', 'e.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('e.id')
    .where('a.namespace_id', '=', namespaceId)
    .where('e.iid', '=', iid)
    .where('e.title', '=', title)
    .orderBy((eb) => eb.fn<number>('length', ['n.full_path']), 'desc')
    .executeTakeFirst();
}

/** Finds the user with a confirmed email address. */
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
