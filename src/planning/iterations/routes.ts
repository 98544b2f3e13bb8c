import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import { listIterations } from './service.ts';

const tag = 'iterations';

export function iterationRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/iterations',
      tag,
      summary: 'List iterations of a project',
      gate: gates.project('read_iteration', { signedIn: true }),
      params: schema.listed,
      paginated: true,
      responses: { 200: Type.Array(schema.Iteration) },
      handle: ({ caller, subject, params: { id: _, ...params }, page }) =>
        listIterations(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/iterations',
      tag,
      summary: 'List iterations of a group',
      gate: gates.group('read_iteration', { signedIn: true }),
      params: schema.listed,
      paginated: true,
      responses: { 200: Type.Array(schema.Iteration) },
      handle: ({ caller, subject, params: { id: _, ...params }, page }) =>
        listIterations(services, caller, subject, params, page),
    }),
  ];
}
