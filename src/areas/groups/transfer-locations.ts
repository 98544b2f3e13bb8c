import { type Expression, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { memberGroups } from '../../access/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import type { NamespacesBuilder } from './list-query.ts';
import { presentPublicGroup } from './present.ts';
import type { PublicGroupEntity } from './schema.ts';

// Settings are packed by us, without spaces, and a quote inside a text would be escaped: this is found only as the key.
const leavesItToOwners = sql<SqlBool>`namespaces.settings like '%"subgroup_creation_level":"owner"%'`;

/** Groups in which the actor may create subgroups. */
function takesSubgroups(eb: NamespacesBuilder, actor: Actor): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<SqlBool>`1 = 1`;
  if (!actor.user || actor.user.external === 1) return sql<SqlBool>`1 = 0`;
  const { id } = actor.user;
  return eb.or([
    memberGroups(eb, id, Role.owner),
    eb.and([memberGroups(eb, id, Role.maintainer), eb.not(leavesItToOwners)]),
  ]);
}

/** The groups that this one can be moved into. */
export async function listTransferLocations(
  { db, externalUrl }: Services,
  actor: Actor,
  { group }: GroupSubject,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const query = db.read
    .selectFrom('namespaces')
    .selectAll('namespaces')
    .where('namespaces.kind', '=', 'group')
    .where((eb) => takesSubgroups(eb, actor))
    .where(sql<SqlBool>`namespaces.id not in (
      select namespace_id from namespace_ancestors where ancestor_id = ${group.id})`)
    .$if(group.parent_id !== null, (narrowed) => narrowed.where('namespaces.id', '!=', group.parent_id))
    .$if(Boolean(search), (narrowed) =>
      narrowed.where((eb) =>
        eb.or([
          contains(eb.ref('namespaces.full_name'), search ?? ''),
          contains(eb.ref('namespaces.full_path'), search ?? ''),
        ]),
      ),
    )
    .orderBy('namespaces.name')
    .orderBy('namespaces.id');
  const { rows, total } = await fetchPage(db.read, query, page);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
