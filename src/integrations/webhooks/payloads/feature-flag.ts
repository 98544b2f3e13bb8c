import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { FlagRow } from '../../../ci/feature-flags/public.ts';
import { type ProjectWithNamespace, projectPart, userPart } from './parts.ts';

/** Payload for a feature flag that was switched on or off. */
export function featureFlagPayload(
  services: Services,
  located: ProjectWithNamespace,
  user: User,
  { id, name, description, active }: FlagRow,
): object {
  return {
    object_kind: 'feature_flag',
    project: projectPart(services, located),
    user: userPart(services, user),
    user_url: `${services.externalUrl}/${user.username}`,
    object_attributes: { id, name, description, active: active === 1 },
  };
}
