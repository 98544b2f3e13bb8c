import { type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import {
  hasProjectRole,
  memberNamespaceIds,
  type NumberOrParameter,
  relatedGroups,
  type Viewer,
} from '../../access/visibility/visible.ts';
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

/** Condition for items about a confidential issue or epic, or an internal note, that only planners may see. */
const isForPlanners = (user: NumberOrParameter) => sql<SqlBool>`(
  exists (select 1 from notes n where n.id = todos.note_id and n.internal = 1)
  or (todos.target_type = 'Epic' and exists (
    select 1 from epics e where e.id = todos.target_id and e.confidential = 1))
  or (todos.target_type = 'Issue' and exists (
    select 1 from issues i where i.id = todos.target_id and i.confidential = 1 and i.author_id <> ${user}
      and not exists (select 1 from issue_assignees a where a.issue_id = i.id and a.user_id = ${user}))))`;

/** Condition for items that their owner can still see. */
function isInSight({ sees, user, now }: Viewer<NumberOrParameter> & { readonly user: NumberOrParameter }) {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const least = sql.lit(Visibility[sees]);
  const planner = sql.lit(Role.planner);
  return sql<SqlBool>`case
    when todos.project_id is not null then exists (select 1 from projects where projects.id = todos.project_id
      and case when ${isForPlanners(user)} then ${hasProjectRole(user, planner, now)}
        else projects.visibility >= ${least} or ${hasProjectRole(user, sql.lit(Role.guest), now)} end)
    when todos.namespace_id is not null then exists (select 1 from namespaces where namespaces.id = todos.namespace_id
      and case when ${isForPlanners(user)} then namespaces.id in (${memberNamespaceIds(user, planner, now)})
        else namespaces.visibility >= ${least} or ${relatedGroups(user, now)} end)
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
