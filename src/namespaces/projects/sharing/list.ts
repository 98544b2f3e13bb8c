import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups, type Viewer, visibleGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { param } from '../../../platform/http/params.ts';
import { excludes } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';

const { search } = searchFilters({
  index: namespaceSearch,
  columns: { name: 'namespaces.name', path: 'namespaces.full_path' },
  byWords: true,
});
const inOrder = { by: 'id', direction: 'asc' } as const;

interface InvitedScope extends Viewer {
  readonly project: number;
  readonly namespace: number;
  /**
   * Lists groups invited to the project or its ancestors, or, if neither flag is set, groups that can still be invited.
   */
  readonly direct: boolean;
  readonly inherited: boolean;
  readonly least?: number | undefined;
}

const invitedForm = boundProperties<InvitedScope>()({ values: ['project', 'namespace', 'user', 'now', 'least'] });
type Ask = BoundFilterOf<typeof invitedForm>;
type Namespaces = ExpressionBuilder<Tables, 'namespaces'>;

const inForce = ({ now }: Pick<Ask, 'now'>) => sql<SqlBool>`(s.expires_at is null or s.expires_at > ${now})`;

function invited(eb: Namespaces, scope: Ask): Expression<SqlBool> {
  const ways: Expression<SqlBool>[] = [];
  if (scope.direct) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from project_shares s
      where s.project_id = ${scope.project} and ${inForce(scope)})`);
  }
  if (scope.inherited) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from group_shares s
      join namespace_ancestors a on a.ancestor_id = s.namespace_id
      where a.namespace_id = ${scope.namespace} and ${inForce(scope)})`);
  }
  return eb.and([eb.or(ways), visibleGroups(eb, scope)]);
}

/** Not related to the project yet. */
function free(scope: Ask): Expression<SqlBool> {
  return sql<SqlBool>`namespaces.id not in (
    select ancestor_id from namespace_ancestors where namespace_id = ${scope.namespace}
    union all select with_namespace_id from project_shares where project_id = ${scope.project})`;
}

const invitedGroups = list({
  id: 'namespaces.id',
  scope: invitedForm,
  filters: { search },
  orders: { id: byId },
  select: (db, scope) => {
    const { user, least, now } = scope;
    const query = db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      .where('namespaces.kind', '=', sql.lit('group'))
      .where((eb) => (scope.direct || scope.inherited ? invited(eb, scope) : free(scope)));
    return least ? query.where((eb) => memberGroups(eb, user ?? 0, least, now)) : query;
  },
});

/**
 * Lists the groups invited to a project or its ancestors or, with neither flag set, those that can still be invited.
 */
export function listInvitableGroups(
  db: Reader,
  scope: InvitedScope,
  text: string | undefined,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  return invitedGroups.page(db, scope, { search: text }, inOrder, slice);
}

interface AroundScope extends Viewer {
  readonly project: number;
  readonly namespace: number;
  readonly with_shared: boolean;
  readonly least: number;
}

const groupsAround = list({
  id: 'namespaces.id',
  scope: boundProperties<AroundScope>()({ values: ['project', 'namespace', 'user', 'now', 'least'] }),
  filters: { search, skip_groups: excludes('namespaces.id', param.integers()) },
  orders: { id: byId },
  select: (db, scope) => {
    const { project, namespace, least } = scope;
    const above = sql<number>`select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;
    const shared = sql<number>`select with_namespace_id from project_shares s
      where s.project_id = ${project} and s.access_level >= ${least} and ${inForce(scope)}`;
    return db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      .where('namespaces.kind', '=', sql.lit('group'))
      .where((eb) => {
        const around = sql<boolean>`namespaces.id in (${above})`;
        if (!scope.with_shared) return around;
        const lent = sql<boolean>`namespaces.id in (${shared})`;
        // Applies to all filters: the names of private groups are not revealed to viewers of a project they were
        // invited to.
        return eb.or([around, eb.and([lent, visibleGroups(eb, scope)])]);
      });
  },
});

/** Lists the ancestor groups of a project and, if requested, the groups it is shared with. */
export function queryProjectGroups(
  db: Reader,
  scope: AroundScope,
  filters: { readonly search?: string | undefined; readonly skip_groups?: number[] | undefined },
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  return groupsAround.page(db, scope, filters, inOrder, slice);
}
