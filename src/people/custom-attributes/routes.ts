import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'custom attributes';

/** Custom attributes of users, groups and projects, which only administrators can see and change. */
export function customAttributeRoutes({ db }: Services, { admin: gate }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/users/:id/custom_attributes',
      tag,
      summary: 'List custom attributes of a user',
      gate,
      params: schema.owner,
      responses: { 200: Type.Array(schema.CustomAttribute) },
      handle: ({ params }) => service.listAttributes(db, 'user', params.id),
    }),
    route({
      method: 'GET',
      path: '/users/:id/custom_attributes/:key',
      tag,
      summary: 'Get a custom attribute of a user',
      gate,
      params: schema.keyed,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params }) => service.getAttribute(db, 'user', params.id, params.key),
    }),
    route({
      method: 'PUT',
      path: '/users/:id/custom_attributes/:key',
      tag,
      summary: 'Set a custom attribute of a user',
      gate,
      params: schema.change,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params: { id, key, value } }) => service.setAttribute(db, 'user', id, { key, value }),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id/custom_attributes/:key',
      tag,
      summary: 'Delete a custom attribute of a user',
      gate,
      params: schema.keyed,
      responses: { 204: null },
      handle: ({ params }) => service.deleteAttribute(db, 'user', params.id, params.key),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/custom_attributes',
      tag,
      summary: 'List custom attributes of a group',
      gate,
      params: schema.owner,
      responses: { 200: Type.Array(schema.CustomAttribute) },
      handle: ({ params }) => service.listAttributes(db, 'group', params.id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/custom_attributes/:key',
      tag,
      summary: 'Get a custom attribute of a group',
      gate,
      params: schema.keyed,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params }) => service.getAttribute(db, 'group', params.id, params.key),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/custom_attributes/:key',
      tag,
      summary: 'Set a custom attribute of a group',
      gate,
      params: schema.change,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params: { id, key, value } }) => service.setAttribute(db, 'group', id, { key, value }),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/custom_attributes/:key',
      tag,
      summary: 'Delete a custom attribute of a group',
      gate,
      params: schema.keyed,
      responses: { 204: null },
      handle: ({ params }) => service.deleteAttribute(db, 'group', params.id, params.key),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/custom_attributes',
      tag,
      summary: 'List custom attributes of a project',
      gate,
      params: schema.owner,
      responses: { 200: Type.Array(schema.CustomAttribute) },
      handle: ({ params }) => service.listAttributes(db, 'project', params.id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/custom_attributes/:key',
      tag,
      summary: 'Get a custom attribute of a project',
      gate,
      params: schema.keyed,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params }) => service.getAttribute(db, 'project', params.id, params.key),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/custom_attributes/:key',
      tag,
      summary: 'Set a custom attribute of a project',
      gate,
      params: schema.change,
      responses: { 200: schema.CustomAttribute },
      handle: ({ params: { id, key, value } }) => service.setAttribute(db, 'project', id, { key, value }),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/custom_attributes/:key',
      tag,
      summary: 'Delete a custom attribute of a project',
      gate,
      params: schema.keyed,
      responses: { 204: null },
      handle: ({ params }) => service.deleteAttribute(db, 'project', params.id, params.key),
    }),
  ];
}
