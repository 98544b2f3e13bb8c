import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import { getNamespace, getSubscription, listNamespaces, pathExists, updateNamespace } from './service.ts';

const tag = 'namespaces';

/** `/namespaces`: personal and group namespaces. */
export function namespaceRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.signedIn;
  return [
    route({
      method: 'GET',
      path: '/namespaces',
      tag,
      summary: 'List namespaces',
      gate,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.Namespace) },
      handle: ({ caller, params, page }) => listNamespaces(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/namespaces/:id',
      tag,
      summary: 'Get a namespace',
      gate,
      params: schema.single,
      responses: { 200: schema.Namespace },
      handle: ({ caller, params }) => getNamespace(services, caller, params.id),
    }),
    route({
      method: 'PUT',
      path: '/namespaces/:id',
      tag,
      summary: 'Update the compute minutes of a namespace',
      gate: gates.admin,
      params: schema.change,
      responses: { 200: schema.Namespace },
      handle: ({ caller, params: { id, ...change } }) => updateNamespace(services, caller, id, change),
    }),
    route({
      method: 'GET',
      path: '/namespaces/:id/gitlab_subscription',
      tag,
      summary: 'Get the subscription of a namespace',
      gate,
      params: schema.single,
      responses: { 200: schema.Subscription },
      handle: ({ caller, params }) => getSubscription(services, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/namespaces/:id/exists',
      tag,
      summary: 'Verify namespace availability',
      gate,
      params: schema.existence,
      responses: { 200: schema.Existence },
      handle: ({ caller, params }) => pathExists(services, caller, params.id, params.parent_id),
    }),
  ];
}
