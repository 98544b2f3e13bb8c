import Type, { type Static } from 'typebox';
import { projectParam } from '../../namespaces/projects/public.ts';
import { nullable as orNull, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { authMethods } from './tables.ts';

export const HostKey = entity('MirrorHostKey', { fingerprint_sha256: Type.String() });

export const RemoteMirror = entity('RemoteMirror', {
  id: Type.Integer(),
  enabled: Type.Boolean(),
  url: Type.String(),
  update_status: Type.String(),
  last_update_at: nullable(timestamp()),
  last_update_started_at: nullable(timestamp()),
  last_successful_update_at: nullable(timestamp()),
  last_error: nullable(Type.String()),
  only_protected_branches: Type.Boolean(),
  keep_divergent_refs: Type.Boolean(),
  auth_method: Type.String(),
  host_keys: Type.Array(HostKey),
  mirror_branch_regex: nullable(Type.String()),
});
export type RemoteMirrorEntity = Static<typeof RemoteMirror>;

export const PublicKey = entity('RemoteMirrorPublicKey', { public_key: Type.String() });

export const oneMirror = { ...projectParam, mirror_id: required(param.integer()) };

const choices = {
  enabled: param.boolean(),
  keep_divergent_refs: param.boolean(),
  mirror_branch_regex: orNull(
    param.string({ description: 'RE2 expression; cannot be combined with only_protected_branches' }),
  ),
  only_protected_branches: orNull(param.boolean()),
  host_keys: param.strings({
    description:
      'SSH host keys: `ssh-ed25519 AAAA...`, or lines of a known_hosts file. Without any, the first is trusted',
  }),
};
export const newMirror = {
  ...projectParam,
  url: required(param.string({ description: 'URL of the remote repository; http, https, ssh or git' })),
  auth_method: param.oneOf(authMethods),
  ...choices,
};
export const mirrorChange = {
  ...oneMirror,
  auth_method: param.string({ description: 'ssh_public_key or password' }),
  ...choices,
};

export type NewMirrorParams = ParamsOf<typeof newMirror>;
export type MirrorChangeParams = ParamsOf<typeof mirrorChange>;
