import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'service accounts';

/** Routes for service accounts of the instance, groups and projects. */
export function serviceAccountRoutes(services: Services, gates: Gates): Route[] {
  const group = gates.group('admin_service_account');
  const project = gates.project('admin_service_account');
  return [
    route({
      method: 'GET',
      path: '/service_accounts',
      tag,
      summary: 'List instance service accounts',
      gate: gates.admin,
      params: schema.order,
      paginated: true,
      responses: { 200: Type.Array(schema.ServiceAccount) },
      handle: ({ params, page }) => service.listAccounts(services, undefined, params, page),
    }),
    route({
      method: 'POST',
      path: '/service_accounts',
      tag,
      summary: 'Create an instance service account',
      gate: gates.admin,
      params: schema.details,
      responses: { 201: schema.ServiceAccount },
      handle: ({ caller, params }) => service.createAccount(services, caller, undefined, params),
    }),
    route({
      method: 'PATCH',
      path: '/service_accounts/:id(^\\d+$)',
      tag,
      summary: 'Update an instance service account',
      gate: gates.admin,
      params: { ...schema.numbered, ...schema.details },
      responses: { 200: schema.ServiceAccount },
      handle: ({ params: { id, ...change } }) => service.changeAccount(services, undefined, id, change),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/service_accounts',
      tag,
      summary: 'List group service accounts',
      gate: group,
      params: { ...schema.home, ...schema.order },
      paginated: true,
      responses: { 200: Type.Array(schema.ServiceAccount) },
      handle: ({ subject, params, page }) => service.listAccounts(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/service_accounts/:user_id',
      tag,
      summary: 'Get a group service account',
      gate: group,
      params: schema.one,
      responses: { 200: schema.ServiceAccount },
      handle: ({ subject, params }) => service.getAccount(services, subject, params.user_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/service_accounts',
      tag,
      summary: 'Create a group service account',
      gate: group,
      params: { ...schema.home, ...schema.details },
      responses: { 201: schema.ServiceAccount },
      handle: ({ caller, subject, params: { id: _, ...input } }) =>
        service.createAccount(services, caller, subject, input),
    }),
    route({
      method: 'PATCH',
      path: '/groups/:id/service_accounts/:user_id',
      tag,
      summary: 'Update a group service account',
      gate: group,
      params: { ...schema.one, ...schema.details },
      responses: { 200: schema.ServiceAccount },
      handle: ({ subject, params: { id: _, user_id, ...change } }) =>
        service.changeAccount(services, subject, user_id, change),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/service_accounts/:user_id',
      tag,
      summary: 'Delete a group service account',
      gate: group,
      params: schema.removal,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removeAccount(services, subject, params.user_id, params.hard_delete),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/service_accounts',
      tag,
      summary: 'List project service accounts',
      gate: project,
      params: { ...schema.home, ...schema.order },
      paginated: true,
      responses: { 200: Type.Array(schema.ServiceAccount) },
      handle: ({ subject, params, page }) => service.listAccounts(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/service_accounts/:user_id',
      tag,
      summary: 'Get a project service account',
      gate: project,
      params: schema.one,
      responses: { 200: schema.ServiceAccount },
      handle: ({ subject, params }) => service.getAccount(services, subject, params.user_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/service_accounts',
      tag,
      summary: 'Create a project service account',
      gate: project,
      params: { ...schema.home, ...schema.details },
      responses: { 201: schema.ServiceAccount },
      handle: ({ caller, subject, params: { id: _, ...input } }) =>
        service.createAccount(services, caller, subject, input),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/service_accounts/:user_id',
      tag,
      summary: 'Update a project service account',
      gate: project,
      params: { ...schema.one, ...schema.details },
      responses: { 200: schema.ServiceAccount },
      handle: ({ subject, params: { id: _, user_id, ...change } }) =>
        service.changeAccount(services, subject, user_id, change),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/service_accounts/:user_id',
      tag,
      summary: 'Delete a project service account',
      gate: project,
      params: schema.removal,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removeAccount(services, subject, params.user_id, params.hard_delete),
    }),
  ];
}
