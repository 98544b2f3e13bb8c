import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { createUserGates } from '../../users/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'access tokens';

/** Impersonation tokens, with which administrators act as a user. */
export function impersonationTokenRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const gate = createUserGates(db, gates, 'user_id').admin;
  return [
    route({
      method: 'GET',
      path: '/users/:user_id(^\\d+$)/impersonation_tokens',
      tag,
      summary: 'List impersonation tokens of a user',
      gate,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.ImpersonationToken) },
      handle: ({ subject, params, page }) => service.listImpersonationTokens(db, subject.id, params.state, page),
    }),
    route({
      method: 'POST',
      path: '/users/:user_id(^\\d+$)/impersonation_tokens',
      tag,
      summary: 'Create an impersonation token for a user',
      gate,
      params: schema.creation,
      responses: { 201: schema.NewImpersonationToken },
      handle: ({ caller, subject, params }) => service.createImpersonationToken(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/users/:user_id(^\\d+$)/impersonation_tokens/:impersonation_token_id',
      tag,
      summary: 'Get an impersonation token of a user',
      gate,
      params: schema.one,
      responses: { 200: schema.ImpersonationToken },
      handle: ({ subject, params }) => service.getImpersonationToken(db, subject.id, params.impersonation_token_id),
    }),
    route({
      method: 'DELETE',
      path: '/users/:user_id(^\\d+$)/impersonation_tokens/:impersonation_token_id',
      tag,
      summary: 'Revoke an impersonation token of a user',
      gate,
      params: schema.one,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.revokeImpersonationToken(services, caller, subject.id, params.impersonation_token_id),
    }),
  ];
}
