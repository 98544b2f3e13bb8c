import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { createUserGates } from '../../users/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'keys';
const scopes = ['read_user'];

/** `/user/keys` and `/users/:id/keys`; the keys of other users are public. */
export function sshKeyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const byId = createUserGates(db, gates);
  const byName = createUserGates(db, gates, 'user_id');
  return [
    route({
      method: 'GET',
      path: '/user/keys',
      tag,
      summary: 'List SSH keys of the current user',
      gate: gates.signedIn,
      scopes,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.SshKey) },
      handle: ({ subject, page }) => service.listSshKeys(db, subject, page),
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/keys',
      tag,
      summary: 'List SSH keys of a user',
      gate: byName.anyone,
      scopes,
      params: schema.named,
      paginated: true,
      responses: { 200: Type.Array(schema.SshKey) },
      handle: ({ subject, page }) => service.listSshKeys(db, subject, page),
    }),
    route({
      method: 'GET',
      path: '/user/keys/:key_id',
      tag,
      summary: 'Get an SSH key of the current user',
      gate: gates.signedIn,
      scopes,
      params: schema.one,
      responses: { 200: schema.SshKey },
      handle: ({ subject, params }) => service.getSshKey(db, subject, params.key_id),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/keys/:key_id',
      tag,
      summary: 'Get an SSH key of a user',
      gate: byId.anyone,
      scopes,
      params: schema.oneOf,
      responses: { 200: schema.SshKey },
      handle: ({ subject, params }) => service.getSshKey(db, subject, params.key_id),
    }),
    route({
      method: 'POST',
      path: '/user/keys',
      tag,
      summary: 'Create an SSH key for the current user',
      gate: gates.signedIn,
      params: schema.creation,
      responses: { 201: schema.SshKey },
      handle: ({ subject, params }) => service.addSshKey(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/user/keys/:key_id',
      tag,
      summary: 'Delete an SSH key of the current user',
      gate: gates.signedIn,
      params: schema.one,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.removeSshKey(services, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/keys',
      tag,
      summary: 'Create an SSH key for a user',
      gate: byId.admin,
      params: schema.creationFor,
      responses: { 201: schema.SshKey },
      handle: ({ subject, params }) => service.addSshKey(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)/keys/:key_id',
      tag,
      summary: 'Delete an SSH key of a user',
      gate: byId.admin,
      params: schema.oneOf,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.removeSshKey(services, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}
