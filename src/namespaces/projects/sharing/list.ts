import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups, type Viewer, visibleGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';

interface InvitedFilter extends Viewer {
  readonly project: number;
  readonly namespace: number;
  /** The groups that were invited to the project, or to a group around it; or those that still can be. */
  readonly direct: boolean;
  readonly inherited: boolean;
  readonly least?: number | undefined;
  readonly search?: string | undefined;
}

const invitedForm = form<InvitedFilter & Searching>()({
  values: ['project', 'namespace', 'user', 'now', 'least', 'search', ...searchValues],
  lists: searchLists,
});
type Ask = AskedOf<typeof invitedForm>;
type Namespaces = ExpressionBuilder<Tables, 'namespaces'>;

const inForce = ({ now }: Pick<Ask, 'now'>) => sql<SqlBool>`(s.expires_at is null or s.expires_at > ${now})`;

function invited(eb: Namespaces, ask: Ask): Expression<SqlBool> {
  const ways: Expression<SqlBool>[] = [];
  if (ask.direct) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from project_shares s
      where s.project_id = ${ask.project} and ${inForce(ask)})`);
  }
  if (ask.inherited) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from group_shares s
      join namespace_ancestors a on a.ancestor_id = s.namespace_id
      where a.namespace_id = ${ask.namespace} and ${inForce(ask)})`);
  }
  return eb.and([eb.or(ways), visibleGroups(eb, ask)]);
}

/** Not related to the project yet. */
function free(ask: Ask): Expression<SqlBool> {
  return sql<SqlBool>`namespaces.id not in (
    select ancestor_id from namespace_ancestors where namespace_id = ${ask.namespace}
    union all select with_namespace_id from project_shares where project_id = ${ask.project})`;
}

const invitedGroups = shapedList(invitedForm, (db, ask, engine) => {
  const { user, least, now, search } = ask;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => (ask.direct || ask.inherited ? invited(eb, ask) : free(ask)))
    .orderBy('namespaces.id');
  if (least) query = query.where((eb) => memberGroups(eb, user ?? 0, least, now));
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return query;
});

/** The groups that were invited to a project or to a group around it; or, of neither, those that still can be. */
export function listInvitableGroups(
  db: Reader,
  { search, ...filter }: InvitedFilter,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const wanted = { ...filter, search: search || undefined, ...searchFor(search) };
  return namespaceSearch.page(invitedGroups, db, wanted, slice);
}

interface AroundFilter extends Viewer {
  readonly project: number;
  readonly namespace: number;
  readonly search?: string | undefined;
  readonly skip?: readonly number[] | undefined;
  readonly with_shared: boolean;
  readonly least: number;
}

const aroundForm = form<AroundFilter & Searching>()({
  values: ['project', 'namespace', 'user', 'now', 'least', 'search', ...searchValues],
  lists: ['skip', ...searchLists],
});

const groupsAround = shapedList(aroundForm, (db, ask, engine) => {
  const { project, namespace, least, search, skip } = ask;
  const above = sql<number>`select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;
  const shared = sql<number>`select with_namespace_id from project_shares s
    where s.project_id = ${project} and s.access_level >= ${least} and ${inForce(ask)}`;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => {
      const around = sql<boolean>`namespaces.id in (${above})`;
      if (!ask.with_shared) return around;
      const lent = sql<boolean>`namespaces.id in (${shared})`;
      // Whatever is asked: the name of a private group is not told to those who see a project it was invited to.
      return eb.or([around, eb.and([lent, visibleGroups(eb, ask)])]);
    })
    .orderBy('namespaces.id');
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return skip ? query.where('namespaces.id', 'not in', skip) : query;
});

/** The groups around a project and, where asked for, those it was shared with. */
export function listGroupsAround(
  db: Reader,
  { search, skip, ...filter }: AroundFilter,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const wanted = {
    ...filter,
    search: search || undefined,
    ...searchFor(search),
    skip: skip?.length ? skip : undefined,
  };
  return namespaceSearch.page(groupsAround, db, wanted, slice);
}
