import Type, { type Static } from 'typebox';
import { ProjectIdentity } from '../../namespaces/projects/public.ts';
import { SshKey } from '../../people/keys/public.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

/** What a deploy token may carry. */
export const deployTokenScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_package_registry',
  'write_package_registry',
] as const;

const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: nullable(timestamp()),
  scopes: Type.Array(Type.String()),
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
};
export const DeployToken = entity('DeployToken', tokenFields);
export const DeployTokenWithToken = entity('DeployTokenWithToken', { ...tokenFields, token: Type.String() });
export type DeployTokenEntity = Static<typeof DeployToken>;

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const tokenFilter = { active: param.boolean() };
export const tokenOf = { ...owner, token_id: required(param.integer()) };
export const tokenCreation = {
  ...owner,
  name: required(param.string()),
  scopes: required(param.oneOrMoreOf(deployTokenScopes)),
  expires_at: param.dateTime(),
  username: param.string(),
};

const keyFields = {
  ...SshKey.properties,
  fingerprint: Type.String(),
  fingerprint_sha256: Type.String(),
};
export const DeployKey = entity('DeployKey', {
  ...keyFields,
  projects_with_write_access: Type.Array(ProjectIdentity),
  projects_with_readonly_access: Type.Array(ProjectIdentity),
});
export const ProjectDeployKey = entity('ProjectDeployKey', { ...keyFields, can_push: Type.Boolean() });
export type DeployKeyEntity = Static<typeof DeployKey>;
export type ProjectDeployKeyEntity = Static<typeof ProjectDeployKey>;

export const keyFilter = { public: withDefault(param.boolean(), false) };
const newKey = {
  key: required(param.string()),
  title: required(param.string()),
  expires_at: param.dateTime(),
};
export const publicKeyCreation = newKey;
export const keyCreation = { ...owner, ...newKey, can_push: withDefault(param.boolean(), false) };
export const keyOf = { ...owner, key_id: required(param.integer()) };
export const keyChange = { ...keyOf, title: param.string(), can_push: param.boolean() };
export const keysOfUser = { user_id: required(param.string({ description: 'Number or user name' })) };
