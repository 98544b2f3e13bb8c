import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { memberNamespaceIds, memberProjectIds, type Viewer } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param } from '../../platform/http/params.ts';
import { choice, compare, equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byExpression } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';

type Condition = RawBuilder<SqlBool>;

/** The owner of the listed milestones: a project, groups, or all groups or projects below a group. */
export interface MilestoneScope extends Viewer {
  readonly kind: 'project' | 'groups' | 'groups below' | 'projects below';
  readonly owner?: number | undefined;
  readonly owners?: readonly number[] | undefined;
}

const scope = boundProperties<MilestoneScope>()({ values: ['owner', 'user', 'now'], lists: ['owners'] });
type Scope = BoundFilterOf<typeof scope>;

const never: Condition = sql`1 = 0`;

function visibleGroup({ sees, user, now }: Scope): Condition {
  if (sees === 'all') return sql`1 = 1`;
  const member: Condition = user === undefined ? never : sql`n.id in (${memberNamespaceIds(user, Role.minimal, now)})`;
  return sql`(n.visibility >= ${sql.lit(Visibility[sees])} or ${member})`;
}

/** Condition that a project is visible and that the caller may use its issues or merge requests. */
function visibleProject({ sees, user, now }: Scope): Condition {
  if (sees === 'all') return sql`(p.issues_access > 0 or p.merge_requests_access > 0)`;
  const member: Condition = user === undefined ? never : sql`p.id in (${memberProjectIds(user, Role.guest, now)})`;
  const open: Condition = sql`p.visibility >= ${sql.lit(Visibility[sees])}
    and (p.issues_access >= 20 or p.merge_requests_access >= 20)`;
  return sql`((${open}) or (${member} and (p.issues_access >= 10 or p.merge_requests_access >= 10)))`;
}

function owned(ask: Scope): Condition {
  const { kind, owner, owners } = ask;
  switch (kind) {
    case 'project':
      return sql`milestones.project_id = ${owner}`;
    case 'groups':
      return sql`milestones.namespace_id in ${owners ?? sql`(0)`}`;
    case 'groups below':
      return sql`milestones.namespace_id in (select a.namespace_id from namespace_ancestors a
        join namespaces n on n.id = a.namespace_id where a.ancestor_id = ${owner} and a.depth > 0 and ${visibleGroup(ask)})`;
    case 'projects below':
      return sql`milestones.project_id in (select p.id from namespace_ancestors a
        join projects p on p.namespace_id = a.namespace_id where a.ancestor_id = ${owner} and ${visibleProject(ask)})`;
  }
}

/** Milestone lists, by due date; those without one come last. */
export const milestoneList = list({
  id: 'milestones.id',
  scope,
  filters: {
    iids: equals('milestones.iid', param.integers()),
    state: choice({
      active: sql<SqlBool>`milestones.state = 'active'`,
      closed: sql<SqlBool>`milestones.state = 'closed'`,
      all: null,
    }),
    title: equals('milestones.title', param.string()),
    updated_after: compare('milestones.updated_at', '>=', param.dateTime()),
    updated_before: compare('milestones.updated_at', '<=', param.dateTime()),
    ...searchFilters({
      index: new SearchIndex({ table: 'milestones', columns: ['title', 'description'], inPieces: true }),
      columns: { title: 'milestones.title', description: 'milestones.description' },
      byWords: true,
    }),
  },
  orders: {
    due_date: byExpression(({ direction }) => {
      const due = sql.ref('milestones.due_date');
      return [
        [sql`case when ${due} is null then 1 else 0 end`, 'asc'],
        [due, direction],
      ];
    }, 'desc'),
  },
  select: (db, ask) => db.selectFrom('milestones').selectAll('milestones').where(owned(ask)),
});
