import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { CommitBasic } from '../commits/public.ts';
import { Diff } from '../repository/public.ts';

export const Comparison = entity('Comparison', {
  commit: nullable(CommitBasic),
  commits: Type.Array(CommitBasic),
  diffs: Type.Array(Diff),
  compare_timeout: Type.Boolean(),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
});
export type ComparisonEntity = Static<typeof Comparison>;

export const Contributor = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
});

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };

export const sides = {
  ...project,
  from: required(param.string({ description: 'Branch, tag or commit' })),
  to: required(param.string({ description: 'Branch, tag or commit' })),
  from_project_id: param.integer(),
  straight: withDefault(
    param.boolean({ description: 'Compare the commits directly instead of from their merge base' }),
    false,
  ),
};
export const comparison = { ...sides, unidiff: withDefault(param.boolean(), false) };
export const contribution = {
  ...project,
  ref: param.string(),
  order_by: param.oneOf(['name', 'email', 'commits']),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc' as const),
};
export const ancestry = { ...project, refs: required(param.commaList()) };
