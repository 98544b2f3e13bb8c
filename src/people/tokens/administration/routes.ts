import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { asked, IdentifiedToken } from './schema.ts';
import { identifyToken, revokeIdentified } from './service.ts';

const tag = 'access tokens';

/** Tokens by their text, for whoever finds one where it should not be. */
export function tokenAdministrationRoutes(services: Services, { admin: gate }: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/admin/token',
      tag,
      summary: 'Tell what a token is',
      gate,
      params: asked,
      responses: { 200: IdentifiedToken },
      handle: ({ params }) => identifyToken(services, params.token),
    }),
    route({
      method: 'DELETE',
      path: '/admin/token',
      tag,
      summary: 'Revoke a token',
      gate,
      params: asked,
      responses: { 204: null },
      handle: ({ caller, params }) => revokeIdentified(services, caller, params.token),
    }),
  ];
}
