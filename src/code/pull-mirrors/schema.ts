import Type, { type Static } from 'typebox';
import { projectParam } from '../../namespaces/projects/public.ts';
import { nullable as orNull, type ParamsOf, param } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { authMethods, HostKey } from '../remote-mirrors/public.ts';

export const PullMirror = entity('PullMirror', {
  id: Type.Integer(),
  last_error: nullable(Type.String()),
  last_successful_update_at: nullable(timestamp()),
  last_update_at: nullable(timestamp()),
  last_update_started_at: nullable(timestamp()),
  update_status: Type.String(),
  url: Type.String(),
  auth_method: Type.String(),
  host_keys: Type.Array(HostKey),
  enabled: Type.Boolean(),
  mirror_trigger_builds: Type.Boolean(),
  only_mirror_protected_branches: Type.Boolean(),
  mirror_overwrites_diverged_branches: Type.Boolean(),
  mirror_branch_regex: nullable(Type.String()),
});
export type PullMirrorEntity = Static<typeof PullMirror>;

export const pullMirrorChange = {
  ...projectParam,
  enabled: param.boolean(),
  url: param.string({ description: 'URL of the remote repository; http, https, ssh or git' }),
  auth_method: param.oneOf(authMethods),
  auth_user: param.string(),
  auth_password: param.string(),
  mirror_trigger_builds: param.boolean(),
  only_mirror_protected_branches: param.boolean(),
  mirror_overwrites_diverged_branches: param.boolean(),
  mirror_branch_regex: orNull(
    param.string({ description: 'RE2 expression; cannot be combined with only_mirror_protected_branches' }),
  ),
};
export type PullMirrorParams = ParamsOf<typeof pullMirrorChange>;
