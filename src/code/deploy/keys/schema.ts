import Type, { type Static } from 'typebox';
import { ProjectIdentity } from '../../../namespaces/projects/public.ts';
import { SshKey } from '../../../people/keys/public.ts';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';

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

export const project = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const keyFilter = { public: withDefault(param.boolean(), false) };
const newKey = {
  key: required(param.string()),
  title: required(param.string()),
  expires_at: param.dateTime(),
};
export const publicKeyCreation = newKey;
export const keyCreation = { ...project, ...newKey, can_push: withDefault(param.boolean(), false) };
export const keyOf = { ...project, key_id: required(param.integer()) };
export const keyChange = { ...keyOf, title: param.string(), can_push: param.boolean() };
export const keysOfUser = { user_id: required(param.string({ description: 'ID or username' })) };
