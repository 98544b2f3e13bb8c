import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { MemberRoleRow } from './tables.ts';

const ofGroup = (group: number | null) =>
  group === null ? sql<SqlBool>`namespace_id is null` : sql<SqlBool>`namespace_id = ${group}`;

export function listRoles(
  db: Reader,
  group: number | null,
  slice: Slice,
): Promise<{ rows: MemberRoleRow[]; total: number }> {
  return fetchPage(db, db.selectFrom('member_roles').selectAll().where(ofGroup(group)).orderBy('id'), slice);
}

export async function countRoles(db: Reader, group: number): Promise<number> {
  const rows = await db.selectFrom('member_roles').select('id').where('namespace_id', '=', group).execute();
  return rows.length;
}

export function insertRole(trx: Writer, row: Omit<MemberRoleRow, 'id'>): Promise<MemberRoleRow> {
  return trx.insertInto('member_roles').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Returns a role of this group, or of the instance, and keeps others from giving it to anybody. */
export async function lockRole(trx: Writer, group: number | null, id: number): Promise<MemberRoleRow | undefined> {
  const role = await lockRow(trx, 'member_roles', id, 'remove');
  return role?.namespace_id === group ? role : undefined;
}

const holders = [
  'members',
  'awaiting_members',
  'member_invitations',
  'group_shares',
  'project_shares',
  'ldap_group_links',
  'saml_group_links',
] as const;

/** Whether a member, an invitation, a share or a link has this role. */
export async function isInUse(db: Reader, id: number): Promise<boolean> {
  const held = holders.map((table) => sql`exists (select 1 from ${sql.table(table)} where member_role_id = ${id})`);
  const { rows } = await sql<{ used: number }>`
    select case when ${sql.join(held, sql` or `)} then 1 else 0 end as used`.execute(db);
  return rows[0]?.used === 1;
}

export async function deleteRole(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('member_roles').where('id', '=', id).execute();
}

/** Condition that a role can be given in a namespace: those of the instance, and of the groups above. */
const usableIn = (namespace: RawBuilder<unknown>) => sql<SqlBool>`(member_roles.namespace_id is null
  or member_roles.namespace_id in (select ancestor_id from namespace_ancestors where namespace_id = ${namespace}))`;

/** Returns the role if it can be given in this namespace. */
export function usableRole(db: Reader, namespace: number, id: number): Promise<MemberRoleRow | undefined> {
  return db
    .selectFrom('member_roles')
    .selectAll()
    .where('id', '=', id)
    .where(usableIn(sql`${namespace}`))
    .executeTakeFirst();
}

/** Returns the roles with these ids, if any is given, keyed by id. */
export async function rolesByIds(
  db: Reader,
  ids: Iterable<number | null | undefined>,
): Promise<ReadonlyMap<number, MemberRoleRow>> {
  const known = [...new Set(ids)].filter((id) => id != null);
  if (known.length === 0) return new Map();
  const rows = await db.selectFrom('member_roles').selectAll().where('id', 'in', known).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Lists all roles that can be given in a namespace. */
export function listUsableRoles(
  db: Reader,
  namespace: number,
  slice: Slice,
): Promise<{ rows: MemberRoleRow[]; total: number }> {
  const query = db
    .selectFrom('member_roles')
    .selectAll()
    .where(usableIn(sql`${namespace}`))
    .orderBy('id');
  return fetchPage(db, query, slice);
}

/**
 * Condition for rows with a role of one of these groups: after a transfer, those above which the rows no longer are,
 * whose roles end with that.
 */
export function hasRoleOf(groups: readonly number[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`member_role_id in (select id from member_roles where namespace_id in (${sql.join([...groups])}))`;
}
