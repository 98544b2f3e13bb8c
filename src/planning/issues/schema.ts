import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import {
  mutuallyExclusive,
  mutuallyExclusiveIn,
  notBlank,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { Milestone } from '../milestones/public.ts';
import { TimeStats } from '../time-tracking/public.ts';
import { issueList } from './lists/list.ts';
import { issueTypes } from './tables.ts';

/** Detailed label of issues and merge requests. */
export const LabelDetail = entity('LabelDetail', {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  description_html: Type.String(),
  text_color: Type.String(),
  color: Type.String(),
});

const basicFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  closed_at: nullable(timestamp()),
  closed_by: nullable(BasicUser),
  labels: Type.Array(Type.Union([Type.String(), LabelDetail])),
  milestone: nullable(Milestone),
  assignees: Type.Array(BasicUser),
  author: BasicUser,
  type: Type.String(),
  assignee: nullable(BasicUser),
  user_notes_count: Type.Integer(),
  merge_requests_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  start_date: nullable(day()),
  due_date: nullable(day()),
  confidential: Type.Boolean(),
  discussion_locked: nullable(Type.Boolean()),
  issue_type: Type.String(),
  web_url: Type.String(),
  time_stats: TimeStats,
  task_completion_status: Type.Object({ count: Type.Integer(), completed_count: Type.Integer() }),
  weight: nullable(Type.Integer()),
  blocking_issues_count: Type.Integer(),
};

/** Shorter issue entity, for issues of milestones and epics. */
export const IssueBasic = entity('IssueBasic', basicFields);

const fields = {
  ...basicFields,
  has_tasks: Type.Boolean(),
  task_status: Type.String(),
  _links: Type.Object({
    self: Type.String(),
    notes: Type.String(),
    award_emoji: Type.String(),
    project: Type.String(),
    closed_as_duplicate_of: nullable(Type.String()),
  }),
  references: Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() }),
  severity: Type.String(),
  subscribed: Type.Optional(Type.Boolean()),
  moved_to_id: nullable(Type.Integer()),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  service_desk_reply_to: nullable(Type.String()),
  epic_iid: nullable(Type.Integer()),
  epic: nullable(
    Type.Object({
      id: Type.Integer(),
      iid: Type.Integer(),
      title: Type.String(),
      url: Type.String(),
      group_id: Type.Integer(),
    }),
  ),
  iteration: nullable(
    Type.Object({
      id: Type.Integer(),
      iid: Type.Integer(),
      sequence: Type.Integer(),
      group_id: Type.Integer(),
      title: nullable(Type.String()),
      description: nullable(Type.String()),
      state: Type.Integer(),
      created_at: timestamp(),
      updated_at: timestamp(),
      start_date: nullable(day()),
      due_date: nullable(day()),
      web_url: Type.String(),
    }),
  ),
  health_status: nullable(Type.String()),
};

export const Issue = entity('Issue', fields);
export type IssueBasicEntity = Static<typeof IssueBasic>;
export type IssueEntity = Static<typeof Issue>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneIssue = {
  ...project,
  issue_iid: required(param.integer({ description: 'IID of the issue' })),
};

export const anyIssue = { id: required(param.integer({ description: 'Global ID of the issue' })) };

export const reordering = {
  ...oneIssue,
  move_after_id: param.integer({ description: 'Global ID of the issue to be placed after this issue' }),
  move_before_id: param.integer({ description: 'Global ID of the issue to be placed before this issue' }),
};

const metadata = {
  assignee_ids: orNull(param.integers()),
  assignee_id: orNull(param.integer()),
  milestone_id: orNull(param.integer()),
  labels: orNull(param.commaList()),
  add_labels: param.commaList(),
  due_date: orNull(param.string({ description: 'Date in the format YYYY-MM-DD' })),
  discussion_locked: param.boolean(),
  weight: orNull(param.int32()),
  epic_id: orNull(param.integer()),
  epic_iid: orNull(param.integer()),
};

export const newIssue = {
  ...project,
  title: required(param.string()),
  description: param.string(),
  confidential: notBlank(param.boolean()),
  issue_type: param.oneOf(issueTypes),
  created_at: param.dateTime(),
  iid: param.integer(),
  merge_request_to_resolve_discussions_of: param.integer({ description: 'IID of a merge request in the project' }),
  discussion_to_resolve: param.string({ description: 'ID of one thread; all unresolved threads if absent' }),
  ...metadata,
};

export const issueChange = {
  ...oneIssue,
  title: param.string(),
  description: orNull(param.string()),
  confidential: notBlank(param.boolean()),
  issue_type: param.oneOf(issueTypes),
  state_event: param.oneOf(['close', 'reopen']),
  updated_at: notBlank(param.dateTime()),
  remove_labels: param.commaList(),
  ...metadata,
};

const sorted = orderParams(issueList.orders, 'created_at', 'desc');
const { scope, ...filters } = issueList.params;
const listing = {
  ...filters,
  ...sorted,
  with_labels_details: withDefault(param.boolean(), false),
  pagination: param.oneOf(['keyset', 'offset', 'legacy']),
  cursor: param.string(),
};
export const allIssues = {
  ...listing,
  scope: withDefault(scope, 'created_by_me'),
  non_archived: withDefault(param.boolean(), true),
};
export const groupIssues = { ...project, ...listing, scope, non_archived: withDefault(param.boolean(), true) };
export const projectIssues = { ...project, ...listing, scope };

/** Mutually exclusive filters. */
const exclusive = [
  ['assignee_id', 'assignee_username'],
  ['author_id', 'author_username'],
  ['milestone_id', 'milestone'],
  ['iteration_id', 'iteration_title'],
] as const;
export const listRules = [
  ...exclusive.map((pair) => mutuallyExclusive(...pair)),
  ...exclusive.map((pair) => mutuallyExclusiveIn('not', ...pair)),
];

export const IssueStatistics = entity('IssueStatistics', {
  statistics: Type.Object({
    counts: Type.Object({ all: Type.Integer(), closed: Type.Integer(), opened: Type.Integer() }),
  }),
});

/** Parameters of which an update needs at least one, in the order of the error message. */
export const changing = [
  'assignee_id',
  'assignee_ids',
  'confidential',
  'created_at',
  'description',
  'discussion_locked',
  'due_date',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'state_event',
  'title',
  'issue_type',
  'weight',
  'epic_id',
  'epic_iid',
] as const;

export type NewIssueParams = Omit<ParamsOf<typeof newIssue>, 'id'>;
export type IssueChangeParams = Omit<ParamsOf<typeof issueChange>, 'id' | 'issue_iid'>;
export type IssueListParams = Omit<ParamsOf<typeof groupIssues>, 'id' | 'non_archived'> & { non_archived?: boolean };
