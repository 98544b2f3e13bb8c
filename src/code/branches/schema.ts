import Type, { type Static } from 'typebox';
import { mutuallyExclusive, notBlank, param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';
import { CommitBasic } from '../commits/public.ts';

export const Branch = entity('Branch', {
  name: Type.String(),
  commit: CommitBasic,
  merged: Type.Boolean(),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean(),
  developers_can_merge: Type.Boolean(),
  can_push: Type.Boolean(),
  default: Type.Boolean(),
  web_url: Type.String(),
});
export type BranchEntity = Static<typeof Branch>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const named = { ...project, branch: required(param.string()) };

export const listing = {
  ...project,
  search: param.string({ description: 'Search term; `^term` and `term$` anchor it, `*` matches any characters' }),
  regex: param.string({ description: 'RE2 regular expression' }),
  sort: withDefault(param.oneOf(['name_asc', 'updated_asc', 'updated_desc']), 'name_asc' as const),
  pagination: param.string(),
  page_token: param.string(),
};
export const listingRules = [mutuallyExclusive('search', 'regex')];

export const creation = {
  ...project,
  branch: notBlank(required(param.string())),
  ref: notBlank(required(param.string({ description: 'Branch, tag or commit' }))),
};
export const protection = {
  ...named,
  developers_can_push: param.boolean(),
  developers_can_merge: param.boolean(),
};
