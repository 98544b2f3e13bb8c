import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { mutuallyExclusive, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { CommitBasic } from '../commits/public.ts';
import { linkFields, ReleaseLink } from './links/schema.ts';
import { releaseList } from './list.ts';
import { project, releaseTagParams } from './params.ts';

const Evidence = entity('ReleaseEvidence', {
  sha: Type.String(),
  filepath: Type.String(),
  collected_at: timestamp(),
});
/** A milestone of a release with its issue statistics. */
const ReleaseMilestone = entity('ReleaseMilestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  due_date: nullable(Type.String()),
  start_date: nullable(Type.String()),
  expired: Type.Boolean(),
  web_url: Type.String(),
  issue_stats: Type.Object({ total: Type.Integer(), closed: Type.Integer() }),
});
export type ReleaseMilestoneEntity = Static<typeof ReleaseMilestone>;
const Assets = Type.Object({
  count: Type.Integer(),
  sources: Type.Optional(Type.Array(Type.Object({ format: Type.String(), url: Type.String() }))),
  links: Type.Array(ReleaseLink),
});

const address = () => Type.Optional(Type.String());
const Links = Type.Object({
  closed_issues_url: address(),
  closed_merge_requests_url: address(),
  edit_url: address(),
  merged_merge_requests_url: address(),
  opened_issues_url: address(),
  opened_merge_requests_url: address(),
  self: address(),
});

/** A release. Fields that expose code are omitted for users who cannot read it. */
export const Release = entity('Release', {
  tag_name: Type.Optional(Type.String()),
  description: nullable(Type.String()),
  name: Type.String(),
  description_html: Type.Optional(Type.String()),
  created_at: timestamp(),
  released_at: timestamp(),
  upcoming_release: Type.Boolean(),
  author: Type.Optional(BasicUser),
  commit: Type.Optional(CommitBasic),
  milestones: Type.Array(ReleaseMilestone),
  commit_path: Type.Optional(Type.String()),
  tag_path: Type.Optional(Type.String()),
  assets: Assets,
  evidences: Type.Optional(Type.Array(Evidence)),
  _links: Links,
});
export type ReleaseEntity = Static<typeof Release>;

const html = { include_html_description: withDefault(param.boolean(), false) };
export const reading = { ...releaseTagParams, ...html };
export const listing = {
  ...project,
  ...html,
  ...releaseList.params,
  ...orderParams(releaseList.orders, 'released_at', 'desc'),
};
export type ReleaseListParams = ParamsOf<typeof listing>;

const change = {
  name: param.string(),
  description: param.string(),
  milestones: param.strings(),
  milestone_ids: param.integers(),
  released_at: param.dateTime(),
};
export const creation = {
  ...releaseTagParams,
  tag_message: param.string(),
  ref: param.string(),
  ...change,
  assets: param.hash({
    links: param.hashes({ name: required(param.string()), url: required(param.string()), ...linkFields }),
  }),
  legacy_catalog_publish: param.boolean(),
};
export const update = { ...releaseTagParams, ...change };
export const oneKindOfMilestones = mutuallyExclusive('milestones', 'milestone_ids');

export const permalink = { ...project, order_by: withDefault(param.oneOf(['released_at']), 'released_at' as const) };
