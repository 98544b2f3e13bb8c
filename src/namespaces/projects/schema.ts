import Type, { type Static, type TSchema } from 'typebox';
import { CustomAttribute } from '../../people/custom-attributes/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { isSetting } from './settings/field-kinds.ts';
import { fieldRules } from './settings/fields.ts';

const identity = {
  id: Type.Integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
};

const Namespace = entity('NamespaceBasic', {
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
  namespace: Namespace,
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
  repository_storage: Type.Optional(Type.String()),
};

/** A project in a few words, as other entities name it. */
export const ProjectIdentity = entity('ProjectIdentity', identity);
export type ProjectIdentityEntity = Static<typeof ProjectIdentity>;

/** `simple=true`, lists without a user, the source of a fork. */
export const BasicProject = entity('BasicProject', basic);
export type BasicProjectEntity = Static<typeof BasicProject>;

const anonymous = { ...basic, forked_from_project: Type.Optional(BasicProject) };

/**
 * An entity that keeps the documents' order. The serializer writes what is required first, so behind the first field
 * that some viewers do not see, none is called required.
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

/** What the full view adds is described by the table of fields, and by that alone. */
export type ProjectEntity = Static<typeof AnonymousProject> & Record<string, unknown>;

/** `GET /projects/:id` without a user. */
export const AnonymousProject = entity('AnonymousProject', anonymous);
/** Answers to create, update and actions, and the projects of a group. */
export const Project = inOrder('Project', full);

const Access = Type.Object({ access_level: Type.Integer(), notification_level: nullable(Type.Integer()) });

/** Reading answers one of these views, by caller and parameters; only some carry what they may do. */
export const VisibleProject = inOrder('ProjectWithAccess', {
  ...full,
  permissions: Type.Object({ project_access: nullable(Access), group_access: nullable(Access) }),
});

export const Starrer = entity('Starrer', { starred_since: timestamp(), user: BasicUser });
