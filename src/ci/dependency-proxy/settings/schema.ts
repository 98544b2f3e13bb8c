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
  // For whom the settings are.
  identity: Type.Optional(nullable(Type.String())),
  ttl_policy: Type.Optional(TtlPolicy),
});
export type DependencyProxyEntity = Static<typeof DependencyProxy>;

export const group = { id: required(param.string({ description: 'Number or URL-encoded path of the group' })) };
export const change = {
  ...group,
  enabled: param.boolean({ description: 'Whether images can be pulled through the group' }),
  identity: nullAsBlank(param.string({ description: 'Who signs in to the other registry; blank for nobody' })),
  secret: nullAsBlank(param.string({ description: 'Their password or token' })),
  ttl_enabled: param.boolean({ description: 'Whether images that nobody pulls any more are removed' }),
  ttl: param.integer({ description: 'Days without a pull after which they are' }),
};
export type Change = Omit<ParamsOf<typeof change>, 'id'>;
