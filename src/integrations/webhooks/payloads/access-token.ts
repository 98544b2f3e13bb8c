import type { Services } from '../../../access/services.ts';
import type { AccessToken, Namespace } from '../../../access/tables.ts';
import { groupPart, type ProjectWithNamespace, projectPart, utcText } from './parts.ts';

/** Payload for an expiring project or group access token. */
export function expiringTokenPayload(
  services: Services,
  place: { readonly located: ProjectWithNamespace } | { readonly group: Namespace },
  token: Pick<AccessToken, 'id' | 'name' | 'user_id' | 'created_at' | 'expires_at'>,
): object {
  const where =
    'located' in place ? { project: projectPart(services, place.located) } : { group: groupPart(place.group) };
  return {
    object_kind: 'access_token',
    ...where,
    object_attributes: {
      user_id: token.user_id,
      created_at: utcText(token.created_at),
      id: token.id,
      name: token.name,
      expires_at: token.expires_at === null ? null : utcText(token.expires_at).slice(0, 10),
    },
    event_name: 'expiring_access_token',
  };
}
