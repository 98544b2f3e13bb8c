import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param } from '../../../platform/http/params.ts';
import { createUserGates } from '../../users/public.ts';
import { tokenListParams } from '../list.ts';
import { presentUsed } from '../present.ts';
import * as schema from '../schema.ts';
import * as service from './service.ts';

const tag = 'access tokens';

/** Personal access tokens: the current one, those of users, and their creation. */
export function personalTokenRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.signedIn;
  const users = createUserGates(services.db, gates, 'user_id');
  return [
    route({
      method: 'GET',
      path: '/personal_access_tokens/self',
      tag,
      summary: 'Get the current personal access token',
      gate,
      scopes: ['any'],
      params: {},
      responses: { 200: schema.UsedToken },
      handle: ({ caller }) => presentUsed(service.presentedToken(caller)),
    }),
    route({
      method: 'DELETE',
      path: '/personal_access_tokens/self',
      tag,
      summary: 'Revoke the current personal access token',
      gate,
      scopes: ['any'],
      params: {},
      responses: { 204: null },
      handle: ({ caller }) => service.revokePresented(services, caller),
    }),
    route({
      method: 'POST',
      path: '/personal_access_tokens/self/rotate',
      tag,
      summary: 'Rotate the current personal access token',
      gate,
      scopes: ['self_rotate'],
      params: schema.rotation,
      responses: { 200: schema.NewToken },
      handle: ({ caller, params }) => service.rotatePresented(services, caller, params.expires_at),
    }),
    route({
      method: 'GET',
      path: '/personal_access_tokens',
      tag,
      summary: 'List personal access tokens',
      gate,
      params: { user_id: param.integer(), ...tokenListParams },
      paginated: true,
      responses: { 200: Type.Array(schema.UsedToken) },
      handle: ({ caller, params, page }) => service.listTokens(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/personal_access_tokens/:id(^\\d+$)',
      tag,
      summary: 'Get a personal access token',
      gate,
      params: schema.numbered,
      responses: { 200: schema.UsedToken },
      handle: ({ caller, params }) => service.getToken(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/personal_access_tokens/:id(^\\d+$)/rotate',
      tag,
      summary: 'Rotate a personal access token',
      gate,
      params: { ...schema.numbered, ...schema.rotation },
      responses: { 200: schema.NewToken },
      handle: ({ caller, params }) => service.rotateToken(services, caller, params.id, params.expires_at),
    }),
    route({
      method: 'DELETE',
      path: '/personal_access_tokens/:id(^\\d+$)',
      tag,
      summary: 'Revoke a personal access token',
      gate,
      params: schema.numbered,
      responses: { 204: null },
      handle: ({ caller, params }) => service.revokeToken(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/users/:user_id(^\\d+$)/personal_access_tokens',
      tag,
      summary: 'Create a personal access token for a user',
      gate: users.admin,
      params: { ...schema.ofUser, ...schema.creation },
      responses: { 201: schema.NewToken },
      handle: ({ caller, subject, params }) => service.createTokenFor(services, subject, params, caller.user),
    }),
    route({
      method: 'POST',
      path: '/user/personal_access_tokens',
      tag,
      summary: 'Create a personal access token for the current user',
      gate: gates.signedIn,
      params: schema.creation,
      responses: { 201: schema.NewToken },
      handle: ({ caller, subject, params }) => service.createOwnToken(services, caller, subject, params),
    }),
  ];
}
