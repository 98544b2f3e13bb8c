import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { IdentifiedToken, identifiedToken } from './schema.ts';
import { identifyToken, revokeIdentified } from './service.ts';

const tag = 'access tokens';

/** Identifies and revokes tokens by their secret, for administrators who find a leaked one. */
export function tokenAdministrationRoutes(services: Services, { admin: gate }: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/admin/token',
      tag,
      summary: 'Identify a token',
      gate,
      params: identifiedToken,
      responses: { 200: IdentifiedToken },
      handle: ({ params }) => identifyToken(services, params.token),
    }),
    route({
      method: 'DELETE',
      path: '/admin/token',
      tag,
      summary: 'Revoke a token by its value',
      gate,
      params: identifiedToken,
      responses: { 204: null },
      handle: ({ caller, params }) => revokeIdentified(services, caller, params.token),
    }),
  ];
}
