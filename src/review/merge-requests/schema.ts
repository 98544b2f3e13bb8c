import Type, { type Static } from 'typebox';
import { Pipeline, PipelineBasic } from '../../ci/pipelines/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import { LabelDetail } from '../../planning/issues/public.ts';
import { Milestone } from '../../planning/milestones/public.ts';
import { TimeStats } from '../../planning/time-tracking/public.ts';
import {
  notBlank,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const simpleFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const MergeRequestSimple = entity('MergeRequestSimple', { ...simpleFields, web_url: Type.String() });

const basicFields = {
  ...simpleFields,
  merged_by: nullable(BasicUser),
  merge_user: nullable(BasicUser),
  merged_at: nullable(timestamp()),
  closed_by: nullable(BasicUser),
  closed_at: nullable(timestamp()),
  title_html: Type.Optional(Type.String()),
  description_html: Type.Optional(Type.String()),
  target_branch: Type.String(),
  source_branch: Type.String(),
  user_notes_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  author: BasicUser,
  assignees: Type.Array(BasicUser),
  assignee: nullable(BasicUser),
  reviewers: Type.Array(BasicUser),
  source_project_id: nullable(Type.Integer()),
  target_project_id: Type.Integer(),
  labels: Type.Array(Type.Union([Type.String(), LabelDetail])),
  draft: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  work_in_progress: Type.Boolean(),
  milestone: nullable(Milestone),
  merge_when_pipeline_succeeds: Type.Boolean(),
  merge_status: Type.String(),
  detailed_merge_status: Type.String(),
  merge_after: nullable(timestamp()),
  sha: nullable(Type.String()),
  merge_commit_sha: nullable(Type.String()),
  squash_commit_sha: nullable(Type.String()),
  discussion_locked: nullable(Type.Boolean()),
  should_remove_source_branch: nullable(Type.Boolean()),
  force_remove_source_branch: nullable(Type.Boolean()),
  prepared_at: nullable(timestamp()),
  allow_collaboration: Type.Boolean(),
  allow_maintainer_to_push: Type.Boolean(),
  reference: Type.String(),
  references: Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() }),
  web_url: Type.String(),
  time_stats: TimeStats,
  squash: Type.Boolean(),
  squash_on_merge: Type.Boolean(),
  task_completion_status: Type.Object({ count: Type.Integer(), completed_count: Type.Integer() }),
  has_conflicts: Type.Boolean(),
  blocking_discussions_resolved: Type.Boolean(),
  approvals_before_merge: nullable(Type.Integer()),
};

/** Merge request entity of lists. */
export const MergeRequestBasic = entity('MergeRequestBasic', basicFields);

const detailFields = {
  ...basicFields,
  subscribed: Type.Boolean(),
  changes_count: nullable(Type.String()),
  latest_build_started_at: Type.Optional(nullable(timestamp())),
  latest_build_finished_at: Type.Optional(nullable(timestamp())),
  first_deployed_to_production_at: Type.Optional(nullable(timestamp())),
  pipeline: Type.Optional(nullable(PipelineBasic)),
  head_pipeline: Type.Optional(nullable(Pipeline)),
  diff_refs: nullable(Type.Object({ base_sha: Type.String(), head_sha: Type.String(), start_sha: Type.String() })),
  merge_error: nullable(Type.String()),
  rebase_in_progress: Type.Optional(Type.Boolean()),
  diverged_commits_count: Type.Optional(Type.Integer()),
  first_contribution: Type.Optional(Type.Boolean()),
  user: Type.Object({ can_merge: Type.Boolean() }),
};

/** Merge request entity of single merge requests. */
export const MergeRequest = entity('MergeRequest', detailFields);
export const requestFields = detailFields;

export type SimpleEntity = Static<typeof MergeRequestSimple>;
export type BasicEntity = Static<typeof MergeRequestBasic>;
export type DetailEntity = Static<typeof MergeRequest>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneRequest = {
  ...project,
  merge_request_iid: required(param.integer({ description: 'IID of the merge request' })),
};

export const singleView = {
  ...oneRequest,
  include_diverged_commits_count: withDefault(param.boolean(), false),
  include_rebase_in_progress: withDefault(param.boolean(), false),
  render_html: withDefault(param.boolean(), false),
};

const metadata = {
  description: orNull(param.string()),
  assignee_id: orNull(param.integer()),
  assignee_ids: orNull(param.integers()),
  reviewer_ids: orNull(param.integers()),
  labels: orNull(param.commaList()),
  add_labels: param.commaList(),
  remove_labels: param.commaList(),
  milestone_id: orNull(param.integer()),
  remove_source_branch: param.boolean(),
  allow_collaboration: param.boolean(),
  allow_maintainer_to_push: param.boolean(),
  squash: param.boolean(),
  approvals_before_merge: orNull(param.integer()),
  approval_rules_attributes: param.hashes({ id: required(param.integer()), approvals_required: param.integer() }),
  merge_after: orNull(param.string({ description: 'Date and time before which it is not merged; blank for none' })),
};

export const newRequest = {
  ...project,
  title: required(param.string()),
  source_branch: required(param.string()),
  target_branch: required(param.string()),
  target_project_id: param.integer(),
  ...metadata,
};

export const requestChange = {
  ...oneRequest,
  title: notBlank(param.string()),
  target_branch: notBlank(param.string()),
  state_event: param.oneOf(['close', 'reopen']),
  discussion_locked: param.boolean(),
  ...metadata,
};

/** Parameters of which an update needs at least one, in the order of the error message. */
export const changing = [
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'description',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'remove_source_branch',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'squash',
  'target_branch',
  'title',
  'state_event',
  'discussion_locked',
  'merge_after',
  'approvals_before_merge',
  'approval_rules_attributes',
] as const;

export const ReviewerDetail = entity('MergeRequestReviewer', {
  user: BasicUser,
  state: Type.String(),
  created_at: timestamp(),
});

export type NewRequestParams = Omit<ParamsOf<typeof newRequest>, 'id'>;
export type RequestChangeParams = Omit<ParamsOf<typeof requestChange>, 'id' | 'merge_request_iid'>;
export type SingleViewParams = Omit<ParamsOf<typeof singleView>, 'id'>;
