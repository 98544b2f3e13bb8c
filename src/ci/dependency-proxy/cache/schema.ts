import Type, { type Static } from 'typebox';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const ProxiedManifest = entity('DependencyProxyManifest', {
  id: Type.Integer(),
  image: Type.String(),
  tags: Type.Array(Type.String()),
  digest: Type.String(),
  media_type: Type.String(),
  size: Type.Integer(),
  created_at: timestamp(),
  last_pulled_at: timestamp(),
});
export type ProxiedManifestEntity = Static<typeof ProxiedManifest>;

export const ProxiedBlob = entity('DependencyProxyBlob', {
  id: Type.Integer(),
  digest: Type.String(),
  size: Type.Integer(),
  created_at: timestamp(),
  last_pulled_at: timestamp(),
});
export type ProxiedBlobEntity = Static<typeof ProxiedBlob>;
