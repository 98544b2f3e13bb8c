import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'feature flag user lists';

/** `/projects/:id/feature_flags_user_lists`. */
export function userListRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_feature_flag', { signedIn: true });
  const managing = gates.project('admin_feature_flag');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags_user_lists',
      tag,
      summary: 'List feature flag user lists of a project',
      gate: reading,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.UserList) },
      handle: ({ subject, params: { id: _, ...filters }, page }) => service.listLists(services, subject, filters, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/feature_flags_user_lists',
      tag,
      summary: 'Create a feature flag user list',
      gate: managing,
      params: schema.creation,
      responses: { 201: schema.UserList },
      handle: ({ subject, params }) => service.createList(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/feature_flags_user_lists/:iid',
      tag,
      summary: 'Get a feature flag user list',
      gate: reading,
      params: schema.numbered,
      responses: { 200: schema.UserList },
      handle: ({ subject, params }) => service.getList(services, subject, params.iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/feature_flags_user_lists/:iid',
      tag,
      summary: 'Update a feature flag user list',
      gate: managing,
      params: schema.change,
      responses: { 200: schema.UserList },
      handle: ({ subject, params }) => service.updateList(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/feature_flags_user_lists/:iid',
      tag,
      summary: 'Delete a feature flag user list',
      gate: managing,
      params: schema.numbered,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteList(services, subject, params.iid),
    }),
  ];
}
