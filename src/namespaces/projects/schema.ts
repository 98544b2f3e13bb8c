import Type, { type Static, type TSchema } from 'typebox';
import { visibilityNames } from '../../access/roles.ts';
import { attributeParams, CustomAttribute } from '../../people/custom-attributes/public.ts';
import type { UploadedFile } from '../../platform/http/bodies/upload.ts';
import {
  atLeastOneOf,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { isSetting } from './settings/field-kinds.ts';
import { fieldRules } from './settings/fields.ts';
import { settingParams } from './settings/values.ts';

const identity = {
  id: Type.Integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
};

export const BasicNamespace = entity('NamespaceBasic', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.String(),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
});

const License = Type.Object({
  key: Type.String(),
  name: Type.String(),
  nickname: nullable(Type.String()),
  html_url: nullable(Type.String()),
  source_url: nullable(Type.String()),
});

const basic = {
  ...identity,
  default_branch: Type.Optional(nullable(Type.String())),
  tag_list: Type.Array(Type.String()),
  topics: Type.Array(Type.String()),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: Type.Optional(nullable(Type.String())),
  forks_count: Type.Optional(Type.Integer()),
  license_url: Type.Optional(nullable(Type.String())),
  license: Type.Optional(nullable(License)),
  avatar_url: nullable(Type.String()),
  star_count: Type.Integer(),
  last_activity_at: timestamp(),
  visibility: Type.String(),
  namespace: BasicNamespace,
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
  repository_storage: Type.Optional(Type.String()),
};

/** Short form of a project embedded in other entities. */
export const ProjectIdentity = entity('ProjectIdentity', identity);
export type ProjectIdentityEntity = Static<typeof ProjectIdentity>;

/** Returned for `simple=true`, unauthenticated lists and fork sources. */
export const BasicProject = entity('BasicProject', basic);
export type BasicProjectEntity = Static<typeof BasicProject>;

const anonymous = { ...basic, forked_from_project: Type.Optional(BasicProject) };

/**
 * Builds an entity schema that preserves the documented field order. The serializer writes required fields first, so
 * all fields after the first optional one are declared optional.
 */
function inOrder(name: string, fields: Readonly<Record<string, TSchema>>): TSchema {
  let mayBeAbsent = false;
  const properties = Object.entries(fields).map(([key, schema]) => {
    mayBeAbsent ||= Type.IsOptional(schema);
    return [key, mayBeAbsent ? Type.Optional(schema) : schema];
  });
  return entity(name, Object.fromEntries(properties));
}

const full: Record<string, TSchema> = { ...anonymous };
for (const [name, rule] of Object.entries(fieldRules)) {
  if (!isSetting(rule)) full[name] = rule.schema;
  else if (!rule.hidden) full[name] = rule.seenBy === 'all' ? rule.schema : Type.Optional(rule.schema);
}

/** The additional fields of the full view are described by the settings table only. */
export type ProjectEntity = Static<typeof AnonymousProject> & Record<string, unknown>;

/** `GET /projects/:id` for unauthenticated callers. */
export const AnonymousProject = entity('AnonymousProject', anonymous);
/** Returned by create, update and actions, and in the projects of a group. */
export const Project = inOrder('Project', full);

const Access = Type.Object({ access_level: Type.Integer(), notification_level: nullable(Type.Integer()) });

/**
 * The union of the views returned for reads, which depend on caller and parameters; only some include `permissions`.
 */
export const VisibleProject = inOrder('ProjectWithAccess', {
  ...full,
  permissions: Type.Object({ project_access: nullable(Access), group_access: nullable(Access) }),
});

/** Path parameter identifying a project. */
export const projectParam = { id: required(param.string({ description: 'ID or URL-encoded path' })) };

/** Attributes accepted on creation and update, besides the settings. */
const commonParams = {
  name: param.string(),
  path: param.string(),
  default_branch: param.string(),
  description: orNull(param.string()),
  visibility: param.oneOf(visibilityNames),
  tag_list: param.commaList({ description: 'Deprecated: topics' }),
  topics: param.commaList(),
  avatar: orNull(param.file()),
  repository_storage: param.string({ description: 'Administrators only' }),
};

export const creationParams = {
  ...commonParams,
  ...settingParams('create'),
  import_url: param.string(),
  initialize_with_readme: param.boolean(),
  namespace_id: param.integer(),
  template_name: param.string(),
  template_project_id: param.integer(),
  use_custom_template: param.boolean(),
  group_with_project_templates_id: param.integer(),
};
export const nameOrPath = atLeastOneOf('name', 'path');
export const creationForParams = {
  user_id: required(param.integer()),
  ...creationParams,
  name: required(param.string()),
};

const changes = {
  ...commonParams,
  ...settingParams('update'),
  import_url: param.string({ description: 'URL of the repository to mirror' }),
};
export const changeParams = { ...projectParam, ...changes };
export const oneChange = atLeastOneOf(...Object.keys(changes));

export const readParams = {
  ...projectParam,
  statistics: withDefault(param.boolean(), false),
  license: withDefault(param.boolean(), false),
  with_access_levels: withDefault(
    param.boolean({ description: 'Include feature access levels for unauthenticated callers' }),
    false,
  ),
  ...attributeParams,
};

/** Parameters of a new project, including any setting. */
export type NewProject = Partial<ParamsOf<typeof commonParams>> & {
  readonly namespace_id?: number | undefined;
  readonly import_url?: string | undefined;
  readonly initialize_with_readme?: boolean | undefined;
  readonly template_name?: string | undefined;
  readonly template_project_id?: number | undefined;
  readonly avatar?: UploadedFile | '' | null | undefined;
  readonly [setting: string]: unknown;
};
export type ChangedProject = Partial<ParamsOf<typeof commonParams>> & { readonly [setting: string]: unknown };
