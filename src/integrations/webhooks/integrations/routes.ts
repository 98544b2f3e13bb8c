import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Message } from '../../../platform/http/schema.ts';
import { testIntegration } from '../test-deliveries/integration.ts';
import * as schema from './schema.ts';
import { getIntegration, listIntegrations, removeIntegration, setIntegration } from './service.ts';

const tag = 'integrations';

/** Routes for integrations of projects and groups. */
export function integrationRoutes(services: Services, gates: Gates): Route[] {
  const project = gates.project('admin_integrations', { signedIn: true });
  const group = gates.group('admin_integrations', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/integrations',
      tag,
      summary: 'List active project integrations',
      gate: project,
      params: schema.places.all,
      paginated: true,
      responses: { 200: Type.Array(schema.Integration) },
      handle: ({ subject, page }) => listIntegrations(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/integrations/:slug',
      tag,
      summary: 'Get a project integration',
      gate: project,
      params: schema.places.one,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => getIntegration(services, subject, params.slug),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/integrations/:slug',
      tag,
      summary: 'Create or update a project integration',
      gate: project,
      params: schema.integrationChange,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => setIntegration(services, subject, params.slug, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/integrations/:slug/test',
      tag,
      summary: 'Test a project integration',
      gate: project,
      params: schema.places.one,
      responses: { 201: Message },
      handle: ({ caller, subject, params }) => testIntegration(services, caller, subject, params.slug),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/integrations/:slug',
      tag,
      summary: 'Delete a project integration',
      gate: project,
      params: schema.places.one,
      responses: { 204: null },
      handle: ({ subject, params }) => removeIntegration(services, subject, params.slug),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/integrations',
      tag,
      summary: 'List active group integrations',
      gate: group,
      params: schema.places.all,
      paginated: true,
      responses: { 200: Type.Array(schema.Integration) },
      handle: ({ subject, page }) => listIntegrations(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/integrations/:slug',
      tag,
      summary: 'Get a group integration',
      gate: group,
      params: schema.places.one,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => getIntegration(services, subject, params.slug),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/integrations/:slug',
      tag,
      summary: 'Create or update a group integration',
      gate: group,
      params: schema.integrationChange,
      responses: { 200: schema.IntegrationDetail },
      handle: ({ subject, params }) => setIntegration(services, subject, params.slug, params),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/integrations/:slug/test',
      tag,
      summary: 'Test a group integration',
      gate: group,
      params: schema.places.one,
      responses: { 201: Message },
      handle: ({ caller, subject, params }) => testIntegration(services, caller, subject, params.slug),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/integrations/:slug',
      tag,
      summary: 'Delete a group integration',
      gate: group,
      params: schema.places.one,
      responses: { 204: null },
      handle: ({ subject, params }) => removeIntegration(services, subject, params.slug),
    }),
  ];
}
