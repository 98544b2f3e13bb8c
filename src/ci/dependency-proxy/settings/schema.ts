import Type, { type Static } from 'typebox';
import { nullAsBlank, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

const TtlPolicy = entity('DependencyProxyTtlPolicy', {
  enabled: Type.Boolean(),
  ttl: Type.Integer(),
  created_at: nullable(timestamp()),
  updated_at: nullable(timestamp()),
});

export const DependencyProxy = entity('DependencyProxy', {
  enabled: Type.Boolean(),
  image_prefix: Type.String(),
  image_count: Type.Integer(),
  blob_count: Type.Integer(),
  total_size: Type.Integer(),
  // Included only for users who can change the settings.
  identity: Type.Optional(nullable(Type.String())),
  ttl_policy: Type.Optional(TtlPolicy),
});
export type DependencyProxyEntity = Static<typeof DependencyProxy>;

export const group = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
export const change = {
  ...group,
  enabled: param.boolean({ description: 'Whether images can be pulled through the group' }),
  identity: nullAsBlank(param.string({ description: 'Username for the upstream registry; blank to remove it' })),
  secret: nullAsBlank(param.string({ description: 'Password or token for the upstream registry' })),
  ttl_enabled: param.boolean({ description: 'Whether unused images are removed' }),
  ttl: param.integer({ description: 'Number of days without a pull after which images are removed' }),
};
export type Change = Omit<ParamsOf<typeof change>, 'id'>;
