import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';

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
/** A commit by itself. */
export const CommitDetail = entity('CommitDetail', {
  ...basic,
  stats: Type.Optional(stats),
  status: nullable(Type.String()),
  project_id: Type.Integer(),
  last_pipeline: nullable(Type.Any()),
});

export type CommitEntity = Static<typeof CommitBasic>;
export type CommitStats = Static<typeof stats>;
