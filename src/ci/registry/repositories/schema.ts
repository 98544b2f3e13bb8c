import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

const tag = { name: Type.String(), path: Type.String(), location: Type.String() };
export const RegistryTag = entity('RegistryTag', tag);
export type RegistryTagEntity = Static<typeof RegistryTag>;

export const RegistryTagDetail = entity('RegistryTagDetail', {
  ...tag,
  revision: nullable(Type.String()),
  short_revision: nullable(Type.String()),
  digest: Type.String(),
  created_at: timestamp(),
  total_size: Type.Integer(),
});
export type RegistryTagDetailEntity = Static<typeof RegistryTagDetail>;

export const RegistryRepository = entity('RegistryRepository', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  location: Type.String(),
  created_at: timestamp(),
  cleanup_policy_started_at: nullable(timestamp()),
  status: nullable(Type.String()),
  tags_count: Type.Optional(Type.Integer()),
  tags: Type.Optional(Type.Array(RegistryTag)),
  delete_api_path: Type.Optional(Type.String()),
  size: Type.Optional(Type.Integer()),
});
export type RegistryRepositoryEntity = Static<typeof RegistryRepository>;

const id = required(param.string({ description: 'Number or URL-encoded path of the project' }));
const shown = {
  tags: withDefault(param.boolean({ description: 'With the tags of each repository' }), false),
  tags_count: withDefault(param.boolean({ description: 'With the number of tags of each repository' }), false),
};
export const listing = { id, ...shown };
export const groupListing = { id: required(param.string({ description: 'Number or URL-encoded path of the group' })) };
export const byNumber = {
  id: required(param.integer({ description: 'Number of the repository' })),
  ...shown,
  size: withDefault(param.boolean({ description: 'With the size of all its images' }), false),
};
export const oneRepository = { id, repository_id: required(param.integer()) };
export const oneTag = { ...oneRepository, tag_name: required(param.string()) };
export const bulk = {
  ...oneRepository,
  name_regex_delete: param.string({ description: 'Delete the tags whose names match (RE2)' }),
  name_regex: param.string({ description: 'The earlier name of name_regex_delete' }),
  name_regex_keep: param.string({ description: 'Keep the tags whose names match (RE2), whatever else is said' }),
  keep_n: param.integer({ description: 'Keep so many of the newest' }),
  older_than: param.string({ description: 'Delete those alone that are older, such as 1h, 1d or 1month' }),
};
export type BulkParams = ParamsOf<typeof bulk>;
export type Shown = { readonly tags: boolean; readonly tags_count: boolean; readonly size?: boolean };
