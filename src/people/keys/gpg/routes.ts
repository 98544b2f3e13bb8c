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

/** `/user/gpg_keys` and `/users/:id/gpg_keys`; the keys of other users are public. */
export function gpgKeyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const users = createUserGates(db, gates);
  return [
    route({
      method: 'GET',
      path: '/user/gpg_keys',
      tag,
      summary: 'List GPG keys of the current user',
      gate: gates.signedIn,
      scopes,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.GpgKey) },
      handle: ({ subject, page }) => service.listGpgKeys(db, subject, page),
    }),
    route({
      method: 'POST',
      path: '/user/gpg_keys',
      tag,
      summary: 'Create a GPG key for the current user',
      gate: gates.signedIn,
      params: schema.creation,
      responses: { 201: schema.GpgKey },
      handle: ({ subject, params }) => service.addGpgKey(services, subject, params.key),
    }),
    route({
      method: 'GET',
      path: '/user/gpg_keys/:key_id',
      tag,
      summary: 'Get a GPG key of the current user',
      gate: gates.signedIn,
      scopes,
      params: schema.one,
      responses: { 200: schema.GpgKey },
      handle: ({ subject, params }) => service.getGpgKey(db, subject, params.key_id),
    }),
    route({
      method: 'DELETE',
      path: '/user/gpg_keys/:key_id',
      tag,
      summary: 'Delete a GPG key of the current user',
      gate: gates.signedIn,
      params: schema.one,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.removeGpgKey(services, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
    route({
      method: 'POST',
      path: '/user/gpg_keys/:key_id/revoke',
      tag,
      summary: 'Revoke a GPG key of the current user',
      gate: gates.signedIn,
      params: schema.one,
      responses: { 202: Type.Integer() },
      handle: async ({ subject, params }) => {
        await service.revokeGpgKey(services, subject, params.key_id);
        return 202;
      },
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/gpg_keys',
      tag,
      summary: 'List GPG keys of a user',
      gate: users.anyone,
      scopes,
      params: schema.ofUser,
      paginated: true,
      responses: { 200: Type.Array(schema.GpgKey) },
      handle: ({ subject, page }) => service.listGpgKeys(db, subject, page),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/gpg_keys',
      tag,
      summary: 'Create a GPG key for a user',
      gate: users.admin,
      params: schema.creationFor,
      responses: { 201: schema.GpgKey },
      handle: ({ subject, params }) => service.addGpgKey(services, subject, params.key),
    }),
    route({
      method: 'GET',
      path: '/users/:id(^\\d+$)/gpg_keys/:key_id',
      tag,
      summary: 'Get a GPG key of a user',
      gate: users.anyone,
      scopes,
      params: schema.oneOf,
      responses: { 200: schema.GpgKey },
      handle: ({ subject, params }) => service.getGpgKey(db, subject, params.key_id),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)/gpg_keys/:key_id',
      tag,
      summary: 'Delete a GPG key of a user',
      gate: users.admin,
      params: schema.oneOf,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.removeGpgKey(services, subject, params.key_id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/gpg_keys/:key_id/revoke',
      tag,
      summary: 'Revoke a GPG key of a user',
      gate: users.admin,
      params: schema.oneOf,
      responses: { 202: Type.Integer() },
      handle: async ({ subject, params }) => {
        await service.revokeGpgKey(services, subject, params.key_id);
        return 202;
      },
    }),
  ];
}
