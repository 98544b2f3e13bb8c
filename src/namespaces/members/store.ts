import { type Expression, type SqlBool, sql } from 'kysely';
import { lockNamespaceRow } from '../../access/namespaces/hierarchy.ts';
import {
  belongsTo,
  isProject,
  namespaceOf,
  type OwnerColumns,
  ownerColumnsOf,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Member } from '../../access/tables.ts';
import type { NumberOrParameter } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { deleteAwaiting, deleteAwaitingAt } from './awaiting/store.ts';
import { insideGroup } from './group-scope-store.ts';

/** Condition that the row has not expired. */
export function notExpired(table: string, now: NumberOrParameter = Date.now()): Expression<SqlBool> {
  const expires = sql.ref(`${table}.expires_at`);
  return sql<SqlBool>`(${expires} is null or ${expires} > ${now})`;
}

/** Locks the memberships of a project or group until the transaction ends. */
export async function lockMembers(trx: Writer, subject: ProjectOrGroup): Promise<void> {
  const held = isProject(subject)
    ? await lockRow(trx, 'projects', subject.project.id)
    : await lockNamespaceRow(trx, subject.group.id);
  if (!held) throw new NotFound(isProject(subject) ? 'Project' : 'Group');
}

/** Returns the direct membership of a user. */
export async function directMember(db: Reader, subject: ProjectOrGroup, userId: number): Promise<Member | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where(belongsTo('members', ownerColumnsOf(subject)))
    .where('user_id', '=', userId)
    .where(notExpired('members'))
    .executeTakeFirst();
}

export interface Inherited {
  readonly access_level: number;
  readonly name: string;
}

/** Returns the highest inherited role of a user. */
export async function inheritedMember(
  db: Reader,
  subject: ProjectOrGroup,
  userId: number,
): Promise<Inherited | undefined> {
  return db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('members as m', 'm.namespace_id', 'a.ancestor_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select(['m.access_level', 'n.name'])
    .where('a.namespace_id', '=', namespaceOf(subject).id)
    .where('a.depth', '>=', isProject(subject) ? 0 : 1)
    .where('m.user_id', '=', userId)
    .where(notExpired('m'))
    .orderBy('m.access_level', 'desc')
    .orderBy('a.depth')
    .executeTakeFirst();
}

/** Whether the group has another direct or inherited owner. Bots and blocked users do not count. */
export async function hasOtherOwner(db: Reader, groupId: number, userId: number): Promise<boolean> {
  const other = await db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('members as m')
    .crossJoin('users as u')
    .select('m.id')
    .where('a.namespace_id', '=', groupId)
    .whereRef('m.namespace_id', '=', 'a.ancestor_id')
    .whereRef('u.id', '=', 'm.user_id')
    .where('m.access_level', '=', Role.owner)
    .where('m.user_id', '!=', userId)
    .where('u.kind', '=', 'human')
    .where('u.state', '=', 'active')
    .where(notExpired('m'))
    .executeTakeFirst();
  return other !== undefined;
}

/** Returns the sole owner of the group if it is one of these users. */
export async function lastOwnerAmong(
  db: Reader,
  groupId: number,
  users: readonly number[],
): Promise<number | undefined> {
  const owners = await db
    .selectFrom('members as m')
    // SQLite preserves the order of a cross join; otherwise it would iterate over all active users.
    .crossJoin('users as u')
    .select('m.user_id')
    .where('m.namespace_id', '=', groupId)
    .whereRef('u.id', '=', 'm.user_id')
    .where('m.access_level', '=', Role.owner)
    .where('u.kind', '=', 'human')
    .where('u.state', '=', 'active')
    .where(notExpired('m'))
    .limit(2)
    .execute();
  const [only, other] = owners;
  return only && !other && users.includes(only.user_id) ? only.user_id : undefined;
}

/** Whether the group has a direct Owner. */
export async function hasOwner(db: Reader, groupId: number): Promise<boolean> {
  const owner = await db
    .selectFrom('members')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('access_level', '=', Role.owner)
    .where(notExpired('members'))
    .executeTakeFirst();
  return owner !== undefined;
}

/**
 * Inserts a membership. Replaces an expired one and resolves a pending access request or a membership awaiting
 * approval.
 */
export async function insertMember(
  trx: Writer,
  columns: OwnerColumns,
  row: Pick<Member, 'user_id' | 'access_level' | 'expires_at' | 'created_by_id'> &
    Partial<Pick<Member, 'ldap' | 'member_role_id'>>,
): Promise<Member> {
  const now = Date.now();
  await trx
    .deleteFrom('members')
    .where(belongsTo('members', columns))
    .where('user_id', '=', row.user_id)
    .where('expires_at', '<=', now)
    .execute();
  const member = await trx
    .insertInto('members')
    .values({ ...columns, ...row, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  await deleteAwaitingAt(trx, columns, row.user_id);
  await trx
    .deleteFrom('access_requests')
    .where(belongsTo('access_requests', columns))
    .where('user_id', '=', row.user_id)
    .execute();
  return member;
}

export async function updateMember(
  trx: Writer,
  id: number,
  change: Partial<Pick<Member, 'access_level' | 'member_role_id' | 'expires_at' | 'ldap' | 'override'>>,
): Promise<Member> {
  return trx
    .updateTable('members')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a membership and, if requested, those in everything below the group. */
export async function deleteMember(
  trx: Writer,
  subject: ProjectOrGroup,
  userId: number,
  below: boolean,
): Promise<Member[]> {
  const whole = below && !isProject(subject);
  if (whole) await deleteAwaiting(trx, subject.group.id, { user: userId });
  const where = whole ? insideGroup(subject.group.id) : belongsTo('members', ownerColumnsOf(subject));
  return trx.deleteFrom('members').where('user_id', '=', userId).where(where).returningAll().execute();
}

export async function deleteGroupMember(trx: Writer, groupId: number, userId: number): Promise<void> {
  await trx.deleteFrom('members').where('namespace_id', '=', groupId).where('user_id', '=', userId).execute();
}

/** Deletes a batch of expired memberships. */
export async function deleteExpired(trx: Writer, now: number, limit: number): Promise<Member[]> {
  const some = trx.selectFrom('members').select('id').where('expires_at', '<=', now).limit(limit);
  return trx.deleteFrom('members').where('id', 'in', some).returningAll().execute();
}

/** Makes the owner of a personal project its member with the highest role. */
export async function addProjectOwner(trx: Writer, projectId: number, userId: number): Promise<void> {
  await trx
    .insertInto('members')
    .values({
      user_id: userId,
      namespace_id: null,
      project_id: projectId,
      access_level: Role.owner,
      expires_at: null,
      created_by_id: null,
      created_at: Date.now(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'user_id'])
        .where('project_id', 'is not', null)
        .doUpdateSet({ access_level: Role.owner, member_role_id: null, expires_at: null }),
    )
    .execute();
}

/** Deletes all memberships of a user in a group hierarchy. */
export function deleteMembershipsIn(trx: Writer, groupId: number, userId: number): Promise<Member[]> {
  return trx.deleteFrom('members').where('user_id', '=', userId).where(insideGroup(groupId)).returningAll().execute();
}

/** Whether a user has a direct role in a group or in anything below it. */
export async function hasRoleIn(db: Reader, groupId: number, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('members')
    .select('id')
    .where('user_id', '=', userId)
    .where(insideGroup(groupId))
    .where(notExpired('members'))
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the direct access level of a user in a group. */
export async function directRole(db: Reader, groupId: number, userId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('members')
    .select('access_level')
    .where('namespace_id', '=', groupId)
    .where('user_id', '=', userId)
    .where(notExpired('members'))
    .executeTakeFirst();
  return row?.access_level;
}
