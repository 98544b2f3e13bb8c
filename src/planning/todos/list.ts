import { type SqlBool, sql } from 'kysely';
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

/** To-do items of one user. */
export const todoList = list({
  id: 'todos.id',
  scope: boundProperties<{ user: number }>()({ values: ['user'] }),
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
  select: (db, ask) => db.selectFrom('todos').selectAll('todos').where('todos.user_id', '=', ask.user),
});
