import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import { namespaceSearch } from '../../access/search.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { memberGroups } from '../../access/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { presentPublicGroup } from './present.ts';
import type { PublicGroupEntity } from './schema.ts';

interface Question extends Searching {
  readonly group: number;
  readonly parent: number | null;
  readonly admin: boolean;
  /** Someone who may own groups. */
  readonly user?: number | undefined;
  readonly now: number;
  readonly search?: string | undefined;
}

const question = form<Question>()({
  values: ['group', 'parent', 'user', 'now', 'search', ...searchValues],
  lists: searchLists,
});

// Settings are packed by us, without spaces, and a quote inside a text would be escaped: this is found only as the key.
const leavesItToOwners = sql<SqlBool>`namespaces.settings like '%"subgroup_creation_level":"owner"%'`;

/** Groups in which the actor may create subgroups. */
function takesSubgroups(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: AskedOf<typeof question>,
): Expression<SqlBool> {
  if (admin) return sql<SqlBool>`1 = 1`;
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    memberGroups(eb, user, Role.owner, now),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(leavesItToOwners)]),
  ]);
}

const locations = shapedList(question, (db, ask, engine) => {
  const { group, parent, search } = ask;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => takesSubgroups(eb, ask))
    .where(sql<SqlBool>`namespaces.id not in (
      select namespace_id from namespace_ancestors where ancestor_id = ${group})`);
  if (parent) query = query.where('namespaces.id', '!=', parent);
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.full_name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return query.orderBy('namespaces.name').orderBy('namespaces.id');
});

/** The groups that this one can be moved into. */
export async function listTransferLocations(
  { db, externalUrl }: Services,
  actor: Actor,
  { group }: GroupSubject,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const user = actor.user?.external === 0 ? actor.user.id : undefined;
  const place = { group: group.id, parent: group.parent_id, admin: isAdmin(actor), user, now: Date.now() };
  const wanted = { ...place, search: search || undefined, ...searchFor(search) };
  const { rows, total } = await namespaceSearch.page(locations, db.read, wanted, page);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
