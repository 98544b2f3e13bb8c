import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { hasRoleOf } from '../member-roles/public.ts';
import type { LdapGroupLinkRow } from './tables.ts';

/** The LDAP group or filter that a link refers to. */
export interface Target {
  readonly provider: string;
  readonly cn?: string | undefined;
  readonly filter?: string | undefined;
}

const digestOf = ({ cn, filter }: Target) => digest(cn === undefined ? `filter ${filter}` : `cn ${cn}`);

const byGroups = (db: Reader, groups: readonly number[]) =>
  db.selectFrom('ldap_group_links').selectAll().where('namespace_id', 'in', groups).orderBy('id').execute();

/** Returns the links of these groups, keyed by group. */
export async function linksOf(db: Reader, groups: readonly number[]): Promise<Map<number, LdapGroupLinkRow[]>> {
  if (groups.length === 0) return new Map();
  return Map.groupBy(await byGroups(db, groups), (row) => row.namespace_id);
}

/** Returns a batch of ids of groups linked to one of these providers, starting after an id. */
export async function linkedGroups(
  db: Reader,
  providers: readonly string[],
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('ldap_group_links')
    .select('namespace_id')
    .distinct()
    .where('provider', 'in', providers)
    .where('namespace_id', '>', after)
    .orderBy('namespace_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.namespace_id);
}

export async function isLinked(db: Reader, group: number, providers: readonly string[]): Promise<boolean> {
  const found = await db
    .selectFrom('ldap_group_links')
    .select('id')
    .where('namespace_id', '=', group)
    .where('provider', 'in', providers)
    .executeTakeFirst();
  return found !== undefined;
}

export function insertLink(
  trx: Writer,
  group: number,
  target: Target,
  { group_access, member_role_id }: Pick<LdapGroupLinkRow, 'group_access' | 'member_role_id'>,
): Promise<LdapGroupLinkRow> {
  const { provider, cn = null, filter = null } = target;
  const row = {
    namespace_id: group,
    provider,
    cn,
    filter,
    target_digest: digestOf(target),
    group_access,
    member_role_id,
  };
  return trx
    .insertInto('ldap_group_links')
    .values({ ...row, created_at: Date.now() })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Ends the custom roles that groups above a moved group gave to links inside it. */
export async function endRolesOf(trx: Writer, lost: readonly number[], groupId: number): Promise<void> {
  if (lost.length === 0) return;
  await trx
    .updateTable('ldap_group_links')
    .set({ member_role_id: null })
    .where(sql<SqlBool>`namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`)
    .where(hasRoleOf(lost))
    .execute();
}

/** Returns whether a link was deleted. Without a provider the links of all providers are deleted. */
export async function deleteLink(
  trx: Writer,
  group: number,
  target: Omit<Target, 'provider'> & { readonly provider?: string },
): Promise<boolean> {
  const { provider } = target;
  let query = trx
    .deleteFrom('ldap_group_links')
    .where('namespace_id', '=', group)
    .where('target_digest', '=', digestOf({ provider: '', ...target }));
  if (provider !== undefined) query = query.where('provider', '=', provider);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
