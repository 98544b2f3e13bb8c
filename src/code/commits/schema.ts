import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const basic = {
  id: Type.String(),
  short_id: Type.String(),
  created_at: Type.String(),
  parent_ids: Type.Array(Type.String()),
  title: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: Type.String(),
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: Type.String(),
  trailers: Type.Record(Type.String(), Type.String()),
  extended_trailers: Type.Record(Type.String(), Type.Array(Type.String())),
  web_url: Type.String(),
};

const stats = Type.Object({ additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() });

/** A commit as shown in lists, branches, tags and comparisons. */
export const CommitBasic = entity('Commit', basic);
export const CommitWithStats = entity('CommitWithStats', { ...basic, stats: Type.Optional(stats) });
const Pipeline = entity('CommitPipeline', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  source: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  web_url: Type.String(),
});
const afterStats = {
  status: nullable(Type.String()),
  project_id: Type.Integer(),
  last_pipeline: nullable(Pipeline),
};
// Optional properties are serialized last: to keep these after `stats`, they are declared optional too.
/** A single commit. */
export const CommitDetail = entity('CommitDetail', {
  ...basic,
  stats: Type.Optional(stats),
  ...Type.Partial(Type.Object(afterStats)).properties,
});

const Complete = Type.Object({ ...basic, stats: Type.Optional(stats), ...afterStats });
export type CommitDetailEntity = Static<typeof Complete>;
export type LastPipelineEntity = Static<typeof Pipeline>;
export type CommitEntity = Static<typeof CommitBasic>;
export type CommitStats = Static<typeof stats>;

export const CommitRef = entity('CommitRef', { type: Type.String(), name: Type.String() });
export const Sequence = entity('CommitSequence', { count: Type.Integer() });

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const commit = {
  ...project,
  sha: required(param.string({ description: 'Commit ID, branch or tag' })),
};

export const listing = {
  ...project,
  ref_name: param.string({ description: 'Branch, tag, commit, or revision range: `a..b`, `a...b`' }),
  all: withDefault(param.boolean(), false),
  path: param.string(),
  follow: withDefault(param.boolean({ description: 'Follow renames if the path is a single file' }), true),
  author: param.string({ description: 'Pattern for the author name or e-mail address' }),
  since: param.dateTime(),
  until: param.dateTime(),
  first_parent: withDefault(param.boolean(), false),
  order: withDefault(param.oneOf(['default', 'topo']), 'default' as const),
  with_stats: withDefault(param.boolean(), false),
  trailers: withDefault(param.boolean(), false),
};

// The body may be hundreds of megabytes, so it is parsed separately. This only documents it.
const text = (description: string) => param.any({ description });
export const creation = {
  ...project,
  branch: text('Required'),
  commit_message: text('Required'),
  actions: text('Array of objects with `action`, `file_path` and the parameters of the action'),
  allow_empty: text('Allow a commit without actions'),
  author_email: text('E-mail address of the author'),
  author_name: text('Name of the author'),
  force: text('Overwrite the branch'),
  start_branch: text('Branch to start from'),
  start_project: text('Project of `start_branch` or `start_sha`'),
  start_sha: text('Commit to start from'),
  stats: text('Include commit stats; defaults to true'),
};

export const single = { ...commit, stats: withDefault(param.boolean(), true) };
export const refs = { ...commit, type: withDefault(param.oneOf(['branch', 'tag', 'all']), 'all' as const) };
export const sequence = { ...commit, first_parent: withDefault(param.boolean(), false) };
export const diff = { ...commit, unidiff: withDefault(param.boolean(), false) };
export const mergeRequests = { ...commit, state: param.string() };
