import { type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { hasProjectRole, type NumberOrParameter, relatedGroups, type Viewer } from '../../access/visibility/visible.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { choice, equals, matches } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';

// All documented values are accepted, although some of them never occur in Hearth.
const actions = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'member_access_requested',
  'review_requested',
  'review_submitted',
  'ssh_key_expired',
  'ssh_key_expiring_soon',
  'merge_train_removed',
  'okr_checkin_requested',
  'added_approver',
] as const;

const types = [
  'Commit',
  'Issue',
  'WorkItem',
  'MergeRequest',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'Namespace',
  'Project',
  'Key',
  'WikiPage::Meta',
  'Epic',
  'Snippet',
  'Vulnerability',
  'User',
] as const;

interface Owner extends Viewer {
  readonly user: number;
}

/** Condition for items in projects and groups that their owner can still see. */
function isInSight({ sees, user, now }: Viewer<NumberOrParameter> & { readonly user: NumberOrParameter }) {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const least = sql.lit(Visibility[sees]);
  return sql<SqlBool>`case
    when todos.project_id is not null then exists (select 1 from projects where projects.id = todos.project_id
      and (projects.visibility >= ${least} or ${hasProjectRole(user, sql.lit(Role.guest), now)}))
    when todos.namespace_id is not null then exists (select 1 from namespaces where namespaces.id = todos.namespace_id
      and (namespaces.visibility >= ${least} or ${relatedGroups(user, now)}))
    else 1 = 1 end`;
}

/** To-do items of one user. */
export const todoList = list({
  id: 'todos.id',
  scope: boundProperties<Owner>()({ values: ['user', 'now'] }),
  filters: {
    state: choice({
      pending: sql<SqlBool>`todos.state = 'pending'`,
      done: sql<SqlBool>`todos.state = 'done'`,
    }),
    action: equals('todos.action', param.oneOf(actions)),
    author_id: equals('todos.author_id', param.integer()),
    project_id: equals('todos.project_id', param.integer()),
    // Includes those in the group's projects and descendants.
    group_id: matches(
      param.integer(),
      (group) => sql`exists (select 1 from namespace_ancestors a where a.ancestor_id = ${group} and a.namespace_id =
        coalesce((select p.namespace_id from projects p where p.id = todos.project_id), todos.namespace_id))`,
    ),
    type: equals('todos.target_type', param.oneOf(types)),
  },
  orders: { id: byId },
  select: (db, ask) =>
    db.selectFrom('todos').selectAll('todos').where('todos.user_id', '=', ask.user).where(isInSight(ask)),
});
