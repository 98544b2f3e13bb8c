import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import { listGroupPackages } from './service.ts';

/** `/groups/:id/packages`. */
export function groupPackageRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/packages',
      tag: 'packages',
      summary: 'List packages of a group',
      gate: gates.group('read_group'),
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.GroupPackage) },
      handle: ({ caller, subject, params, page }) => listGroupPackages(services, caller, subject, params, page),
    }),
  ];
}
