import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'iterations';

/**
 * Routes for iteration cadences. GitLab documents them only for the web interface; without these routes no iterations
 * could be created.
 */
export function cadenceRoutes(services: Services, gates: Gates): Route[] {
  const managing = gates.group('admin_iteration_cadence');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/iteration_cadences',
      tag,
      summary: 'List iteration cadences of a group',
      gate: gates.group('read_iteration', { signedIn: true }),
      params: schema.place,
      paginated: true,
      responses: { 200: Type.Array(schema.IterationCadence) },
      handle: ({ subject, page }) => service.listCadences(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/iteration_cadences',
      tag,
      summary: 'Create an iteration cadence',
      gate: managing,
      params: schema.newCadence,
      responses: { 201: schema.IterationCadence },
      handle: ({ subject, params }) => service.createCadence(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/iteration_cadences/:cadence_id',
      tag,
      summary: 'Delete an iteration cadence',
      gate: managing,
      params: schema.oneCadence,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteCadence(services, subject, params.cadence_id),
    }),
  ];
}
