import { type Insertable, type NotNull, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { hasRoleOf } from '../member-roles/public.ts';
import type { SamlGroupLinkRow, SamlGroupLinksTable } from './tables.ts';

/** Returns the links of these groups, keyed by group. */
export async function linksOf(db: Reader, groups: readonly number[]): Promise<Map<number, SamlGroupLinkRow[]>> {
  if (groups.length === 0) return new Map();
  const rows = await db
    .selectFrom('saml_group_links')
    .selectAll()
    .where('namespace_id', 'in', groups)
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.namespace_id);
}

/** Returns the links of a group to a SAML group, of one provider if given. */
export function linksTo(db: Reader, group: number, name: string, provider?: string): Promise<SamlGroupLinkRow[]> {
  const query = db
    .selectFrom('saml_group_links')
    .selectAll()
    .where('namespace_id', '=', group)
    .where('saml_group_name', '=', name);
  return (provider === undefined ? query : query.where('provider', '=', provider)).orderBy('id').execute();
}

export function insertLink(trx: Writer, link: Insertable<SamlGroupLinksTable>): Promise<SamlGroupLinkRow> {
  return trx.insertInto('saml_group_links').values(link).returningAll().executeTakeFirstOrThrow();
}

export async function deleteLink(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('saml_group_links').where('id', '=', id).execute();
}

/** Ends the custom roles that groups above a moved group gave to links inside it. */
export async function endRolesOf(trx: Writer, lost: readonly number[], groupId: number): Promise<void> {
  if (lost.length === 0) return;
  await trx
    .updateTable('saml_group_links')
    .set({ member_role_id: null })
    .where(sql<SqlBool>`namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`)
    .where(hasRoleOf(lost))
    .execute();
}

/** A role in a group that links give or that somebody has. */
export interface RoleInGroup {
  readonly group: number;
  readonly level: number;
  readonly role: number | null;
}

/**
 * Returns the highest role that links give to users in these SAML groups, one for each group. Of links to the same
 * level, the first counts.
 */
export async function rolesFor(db: Reader, provider: string, names: readonly string[]): Promise<RoleInGroup[]> {
  const ranked = db
    .selectFrom('saml_group_links')
    .select(['namespace_id as group', 'access_level as level', 'member_role_id as role'])
    .select(sql<number>`row_number() over (partition by namespace_id order by access_level desc, id)`.as('place'))
    .where('saml_group_name', 'in', names)
    .where('provider', 'in', ['', provider]);
  return db.selectFrom(ranked.as('r')).select(['r.group', 'r.level', 'r.role']).where('r.place', '=', 1).execute();
}

/** Returns the direct roles of a user in groups with links of this provider. */
export async function linkedRoles(db: Reader, provider: string, userId: number): Promise<RoleInGroup[]> {
  return db
    .selectFrom('members as m')
    .select(['m.namespace_id as group', 'm.access_level as level', 'm.member_role_id as role'])
    .where('m.user_id', '=', userId)
    .where('m.namespace_id', 'is not', null)
    .$narrowType<{ group: NotNull }>()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('saml_group_links as l')
          .select('l.id')
          .whereRef('l.namespace_id', '=', 'm.namespace_id')
          .where('l.provider', 'in', ['', provider]),
      ),
    )
    .execute();
}
