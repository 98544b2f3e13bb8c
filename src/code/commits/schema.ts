import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
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

/** A commit as lists, branches, tags and comparisons show it. */
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
// What may be absent is written last: these follow the statistics only if they may be so too.
/** A commit by itself. */
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
export const DryRun = entity('DryRun', { dry_run: Type.String() });

export const CommitComment = entity('CommitComment', {
  note: Type.String(),
  path: nullable(Type.String()),
  line: nullable(Type.Integer()),
  line_type: nullable(Type.String()),
  author: nullable(BasicUser),
  created_at: timestamp(),
});
export type CommitCommentEntity = Static<typeof CommitComment>;
/** The answer to a comment that was nothing but commands. */
export const CommandSummary = entity('CommandSummary', {
  commands_changes: Type.Record(Type.String(), Type.String()),
  summary: Type.Array(Type.String()),
});
