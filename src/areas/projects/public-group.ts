import Type, { type Static } from 'typebox';
import type { Namespace } from '../../access/tables.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { avatarUrl } from '../avatars/service.ts';
import { namespaceUrl } from './urls.ts';

/** A group as a project names those it is, or may be, related to. */
export const PublicGroup = entity('PublicGroupDetails', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
});
export type PublicGroupEntity = Static<typeof PublicGroup>;

export function presentPublicGroup(group: Namespace, externalUrl: string): PublicGroupEntity {
  return {
    id: group.id,
    web_url: namespaceUrl(externalUrl, group),
    name: group.name,
    avatar_url: avatarUrl(externalUrl, 'group', group.id, group.avatar),
    full_name: group.full_name,
    full_path: group.full_path,
  };
}
