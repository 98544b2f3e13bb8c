import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { type CustomPermission, isCustomPermission } from '../custom-permissions.ts';
import { holdsAll } from '../custom-roles.ts';

/** A custom role, as far as decisions need it. */
export interface MemberRole {
  readonly id: number;
  readonly permissions: ReadonlySet<CustomPermission>;
}
export type MemberRoles = ReadonlyMap<number, MemberRole>;

/** A membership with its custom role, and the invitation through which it applies, if any. */
export interface HeldRole {
  readonly level: number;
  readonly role: number | null;
  readonly share_level: number | null;
  readonly share_role: number | null;
}

export const noRoles: MemberRoles = new Map();

const byIds = statement(
  (db, param: Param<{ ids: readonly number[] }>) =>
    db.selectFrom('member_roles').select(['id', 'permissions']).where('id', 'in', param.ids('ids')),
  { cached: true },
);

/** The custom roles of these memberships and invitations. Without any, which is usual, nothing is queried. */
export async function memberRolesAmong(
  db: Reader,
  held: readonly Pick<HeldRole, 'role' | 'share_role'>[],
): Promise<MemberRoles> {
  if (held.every(({ role, share_role }) => role === null && share_role === null)) return noRoles;
  const ids = new Set(held.flatMap(({ role, share_role }) => [role, share_role]).filter((id) => id !== null));
  const rows = await byIds.all(db, { ids: [...ids].sort((left, right) => left - right) });
  return new Map(rows.map((row) => [row.id, { id: row.id, permissions: permissionsIn(row.permissions) }]));
}

/**
 * The custom role of the membership `m` in a namespace elsewhere, which its group was invited to: only a role that could
 * also be given there counts.
 */
export function roleElsewhere(namespace: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql<number | null>`case when m.member_role_id is null then null else (
    select r.id from member_roles r where r.id = m.member_role_id
      and (r.namespace_id is null or exists (
        select 1 from namespace_ancestors h
        where h.namespace_id = ${namespace} and h.ancestor_id = r.namespace_id))) end`;
}

/** The permissions in a stored list. */
export function permissionsIn(stored: string): ReadonlySet<CustomPermission> {
  return new Set(storedStrings(stored).filter(isCustomPermission));
}

/**
 * The custom role that applies: through an invited group, that of the lower base role. The invitation is the limit: a
 * member's own custom role counts if the invitation allows all that it adds, because others decide who has it.
 */
export function effectiveRole(held: HeldRole, roles: MemberRoles): MemberRole | undefined {
  const own = held.role === null ? undefined : roles.get(held.role);
  if (held.share_level === null) return own;
  const lent = held.share_role === null ? undefined : roles.get(held.share_role);
  if (held.share_level < held.level) return lent;
  const limit = { level: held.share_level, permissions: lent?.permissions };
  return own && holdsAll(limit, own.permissions) ? own : undefined;
}
