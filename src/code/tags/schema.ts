import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { CommitBasic } from '../commits/public.ts';

export const Tag = entity('Tag', {
  name: Type.String(),
  message: Type.String(),
  target: Type.String(),
  commit: nullable(CommitBasic),
  release: Type.Optional(nullable(Type.Object({ tag_name: Type.String(), description: nullable(Type.String()) }))),
  protected: Type.Boolean(),
  created_at: nullable(Type.String()),
});
export type TagEntity = Static<typeof Tag>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const named = { ...project, tag_name: required(param.string()) };

export const listing = {
  ...project,
  order_by: withDefault(param.oneOf(['updated', 'name', 'version']), 'updated' as const),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc' as const),
  search: param.string({ description: 'Search term; `^term` and `term$` anchor it, `*` matches any characters' }),
  pagination: param.string(),
  page_token: param.string(),
};
export const creation = {
  ...project,
  tag_name: required(param.string()),
  ref: required(param.string({ description: 'Branch, tag or commit' })),
  message: param.string({ description: 'Message of an annotated tag' }),
};
