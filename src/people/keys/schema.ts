import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { OwnUser } from '../users/public.ts';

const fields = {
  id: Type.Integer(),
  title: Type.String(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()),
  last_used_at: nullable(timestamp()),
  key: Type.String(),
  usage_type: Type.String(),
};

export const SshKey = entity('SSHKey', fields);
export type SshKeyEntity = Static<typeof SshKey>;
/** A key as administrators look it up; a deployment's is nobody's. */
export const SshKeyWithUser = entity('SSHKeyWithUser', {
  ...fields,
  user: nullable(OwnUser),
  fingerprint: Type.Optional(Type.String()),
  fingerprint_sha256: Type.Optional(Type.String()),
  deploy_keys_projects: Type.Optional(
    Type.Array(
      Type.Object({
        deploy_key_id: Type.Integer(),
        project_id: Type.Integer(),
        created_at: timestamp(),
        updated_at: timestamp(),
        can_push: Type.Boolean(),
      }),
    ),
  ),
});
export const GpgKey = entity('GPGKey', { id: Type.Integer(), key: Type.String(), created_at: timestamp() });

export const keyed = { key_id: required(param.integer()) };
export const creation = {
  title: required(param.string()),
  key: required(param.string()),
  expires_at: param.dateTime(),
  usage_type: withDefault(param.oneOf(['auth_and_signing', 'auth', 'signing']), 'auth_and_signing'),
};
export const gpgCreation = { key: required(param.string()) };
