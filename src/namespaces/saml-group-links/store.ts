import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
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

/** Returns the highest access level that links give to users in these SAML groups, keyed by group. */
export async function levelsFor(
  db: Reader,
  provider: string,
  names: readonly string[],
): Promise<{ group: number; level: number }[]> {
  const rows = await db
    .selectFrom('saml_group_links')
    .select(['namespace_id', (eb) => eb.fn.max('access_level').as('level')])
    .where('saml_group_name', 'in', names)
    .where('provider', 'in', ['', provider])
    .groupBy('namespace_id')
    .execute();
  return rows.map((row) => ({ group: row.namespace_id, level: Number(row.level) }));
}

/** Returns the direct roles of a user in groups with links of this provider. */
export async function linkedRoles(db: Reader, provider: string, userId: number) {
  return db
    .selectFrom('members as m')
    .select(['m.namespace_id as group', 'm.access_level as level'])
    .where('m.user_id', '=', userId)
    .where('m.namespace_id', 'is not', null)
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
