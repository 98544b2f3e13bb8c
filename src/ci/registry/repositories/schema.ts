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

const id = required(param.string({ description: 'ID or URL-encoded path of the project' }));
const shown = {
  tags: withDefault(param.boolean({ description: 'Include the tags of each repository' }), false),
  tags_count: withDefault(param.boolean({ description: 'Include the number of tags of each repository' }), false),
};
export const listing = { id, ...shown };
export const groupListing = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
export const byNumber = {
  id: required(param.integer({ description: 'ID of the repository' })),
  ...shown,
  size: withDefault(param.boolean({ description: 'Include the total size of the repository' }), false),
};
export const oneRepository = { id, repository_id: required(param.integer()) };
export const oneTag = { ...oneRepository, tag_name: required(param.string()) };
export const bulk = {
  ...oneRepository,
  name_regex_delete: param.string({ description: 'Delete tags whose names match (RE2)' }),
  name_regex: param.string({ description: 'Deprecated alias of `name_regex_delete`' }),
  name_regex_keep: param.string({ description: 'Keep tags whose names match (RE2); takes precedence' }),
  keep_n: param.integer({ description: 'Number of the newest tags to keep' }),
  older_than: param.string({ description: 'Delete only tags older than this, e.g. 1h, 1d or 1month' }),
};
export type BulkParams = ParamsOf<typeof bulk>;
export type Shown = { readonly tags: boolean; readonly tags_count: boolean; readonly size?: boolean };
