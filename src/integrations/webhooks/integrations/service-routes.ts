import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import { getIntegration, listIntegrations, removeIntegration, setIntegration } from './service.ts';

const tag = 'integrations';

/** Project integrations under their former name, `services`, for older clients. */
export function serviceRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_integrations', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/services',
      tag,
      summary: 'List active project integrations (deprecated path)',
      gate,
      params: schema.places.all,
      paginated: true,
      responses: { 200: Type.Array(schema.Integration) },
      handle: ({ subject, page }) => listIntegrations(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/services/:slug',
      tag,
      summary: 'Get a project integration (deprecated path)',
      gate,
      params: schema.places.one,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => getIntegration(services, subject, params.slug),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/services/:slug',
      tag,
      summary: 'Create or update a project integration (deprecated path)',
      gate,
      params: schema.integrationChange,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => setIntegration(services, subject, params.slug, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/services/:slug',
      tag,
      summary: 'Delete a project integration (deprecated path)',
      gate,
      params: schema.places.one,
      responses: { 204: null },
      handle: ({ subject, params }) => removeIntegration(services, subject, params.slug),
    }),
  ];
}
