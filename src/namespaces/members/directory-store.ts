import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Member } from '../../access/tables.ts';
import { isPrimary } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { notExpired } from './store.ts';

/** Returns which of these users have a role in the group managed by a directory, and whether it is overridden. */
export async function overrides(
  db: Reader,
  subject: ProjectOrGroup,
  users: readonly number[],
): Promise<Map<number, number>> {
  if (isProject(subject) || users.length === 0) return new Map();
  const rows = await db
    .selectFrom('members')
    .select(['user_id', 'override'])
    .where('namespace_id', '=', subject.group.id)
    .where('user_id', 'in', users)
    .where('ldap', '=', 1)
    .execute();
  return new Map(rows.map((row) => [row.user_id, row.override]));
}

/**
 * Returns a batch of group members, by user id, whose identity with this provider comes first among the given
 * providers.
 */
export function membersKnownTo(
  db: Reader,
  groupId: number,
  provider: string,
  providers: readonly string[],
  after: number,
  limit: number,
) {
  return db
    .selectFrom('members as m')
    .innerJoin('identities as i', 'i.user_id', 'm.user_id')
    .select('m.user_id')
    .where('m.namespace_id', '=', groupId)
    .where('i.provider', '=', provider)
    .where(isPrimary('i', providers))
    .where('m.user_id', '>', after)
    .orderBy('m.user_id')
    .limit(limit)
    .execute();
}

/** Returns the direct memberships of these users in a group, keyed by user. */
export async function ownMembers(db: Reader, groupId: number, users: readonly number[]): Promise<Map<number, Member>> {
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .where('user_id', 'in', users)
    .where(notExpired('members'))
    .execute();
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** Returns the highest inherited access level of these users. */
export async function rolesAbove(db: Reader, groupId: number, users: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('members as m', 'm.namespace_id', 'a.ancestor_id')
    .select(['m.user_id', (eb) => eb.fn.max('m.access_level').as('level')])
    .where('a.namespace_id', '=', groupId)
    .where('a.depth', '>=', 1)
    .where('m.user_id', 'in', users)
    .where(notExpired('m'))
    .groupBy('m.user_id')
    .execute();
  return new Map(rows.map((row) => [row.user_id, Number(row.level)]));
}
