import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param } from '../../platform/http/params.ts';
import { Associations } from './schema.ts';
import { listAssociations } from './service.ts';

export function tokenAssociationRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/personal_access_tokens/self/associations',
      tag: 'access tokens',
      summary: 'List groups and projects accessible with the current token',
      gate: gates.signedIn,
      scopes: ['any'],
      params: { min_access_level: param.integerOf([10, 15, 20, 30, 40, 50]) },
      paginated: true,
      responses: { 200: Associations },
      handle: ({ caller, params, page }) => listAssociations(services, caller, params.min_access_level, page),
    }),
  ];
}
