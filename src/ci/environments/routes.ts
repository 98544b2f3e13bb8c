import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'environments';

export function environmentRoutes(services: Services, gates: Gates): Route[] {
  return [...readingRoutes(services, gates), ...modifyingRoutes(services, gates), ...stoppingRoutes(services, gates)];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_environment', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/environments',
      tag,
      summary: 'List environments',
      gate,
      params: schema.environmentListing,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.Environment) },
      handle: ({ caller, subject, params: { id: _, ...filter }, page }) =>
        service.listEnvironments(services, caller, subject, filter, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/environments/:environment_id',
      tag,
      summary: 'Get an environment',
      gate,
      params: schema.oneEnvironment,
      jobToken: true,
      responses: { 200: schema.Environment },
      handle: ({ caller, subject, params }) => service.getEnvironment(services, caller, subject, params.environment_id),
    }),
  ];
}

function modifyingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('update_environment');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/environments',
      tag,
      summary: 'Create an environment',
      gate,
      params: schema.newEnvironment,
      jobToken: true,
      responses: { 201: schema.Environment },
      handle: ({ caller, subject, params }) => service.createEnvironment(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/environments/:environment_id',
      tag,
      summary: 'Update an environment',
      gate,
      params: schema.environmentChange,
      jobToken: true,
      responses: { 200: schema.Environment },
      handle: ({ caller, subject, params }) => service.updateEnvironment(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/environments/review_apps',
      tag,
      summary: 'Delete multiple stopped review apps',
      gate,
      params: schema.reviewApps,
      jobToken: true,
      responses: { 200: schema.ReviewApps },
      handle: ({ caller, subject, params }) => service.deleteReviewApps(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/environments/:environment_id',
      tag,
      summary: 'Delete an environment',
      gate,
      params: schema.oneEnvironment,
      jobToken: true,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.deleteEnvironment(services, caller, subject, params.environment_id),
    }),
  ];
}

function stoppingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/environments/stop_stale',
      tag,
      summary: 'Stop stale environments',
      gate: gates.project('admin_pipeline'),
      params: schema.stopStale,
      responses: { 200: Type.Object({ message: Type.String() }) },
      handle: ({ subject, params }) => service.stopStale(services, subject, params.before),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/environments/:environment_id/stop',
      tag,
      summary: 'Stop an environment',
      gate: gates.project('update_environment'),
      params: schema.stop,
      jobToken: true,
      responses: { 200: schema.Environment },
      handle: ({ caller, subject, params }) =>
        service.stop(services, caller, subject, params.environment_id, params.force),
    }),
  ];
}
