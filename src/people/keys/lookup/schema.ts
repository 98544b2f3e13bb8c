import Type from 'typebox';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { OwnUser } from '../../users/public.ts';
import { SshKey } from '../ssh/schema.ts';

/** An SSH key with its user, for administrators; deploy keys have no user. */
export const SshKeyWithUser = entity('SSHKeyWithUser', {
  ...SshKey.properties,
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
