import Type, { type Static } from 'typebox';
import { notBlank, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const Blob = entity('Blob', {
  basename: Type.String(),
  data: Type.String(),
  path: Type.String(),
  filename: Type.String(),
  id: nullable(Type.String()),
  ref: Type.String(),
  startline: Type.Integer(),
  project_id: Type.Integer(),
  group_id: nullable(Type.Integer()),
});
export type BlobEntity = Static<typeof Blob>;

export const projectScopes = [
  'issues',
  'merge_requests',
  'milestones',
  'notes',
  'wiki_blobs',
  'commits',
  'blobs',
  'users',
] as const;
export const groupScopes = ['projects', ...projectScopes, 'epics'] as const;
export const instanceScopes = ['projects', ...projectScopes, 'snippet_titles'] as const;
export type ScopeName = (typeof instanceScopes)[number] | (typeof groupScopes)[number];

const asked = {
  search: notBlank(required(param.string())),
  state: param.oneOf(['all', 'opened', 'closed', 'merged']),
  confidential: param.boolean(),
  include_archived: param.boolean(),
  exclude_forks: param.boolean(),
  fields: param.commaList({ description: 'With `title`, issues and merge requests are searched by title only' }),
  order_by: param.oneOf(['created_at']),
  sort: param.oneOf(['asc', 'desc']),
  num_context_lines: param.integer({ description: 'Context lines around matches in blobs and wiki_blobs, 0 to 20' }),
};
const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };

export const instanceSearch = { scope: required(param.oneOf(instanceScopes)), ...asked };
export const groupSearch = { ...owner, scope: required(param.oneOf(groupScopes)), ...asked };
export const projectSearch = {
  ...owner,
  scope: required(param.oneOf(projectScopes)),
  ref: param.string({ description: 'Branch or tag to search for blobs, wiki_blobs and commits' }),
  ...asked,
};
export type SearchParams = ParamsOf<typeof asked> & {
  readonly scope: ScopeName;
  readonly ref?: string;
};
