import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { NewToken, PersonalAccessToken } from '../../people/tokens/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'service accounts';

/** Routes for the tokens of group and project service accounts. */
export function serviceAccountTokenRoutes(services: Services, gates: Gates): Route[] {
  const group = gates.group('admin_service_account');
  const project = gates.project('admin_service_account');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/service_accounts/:user_id/personal_access_tokens',
      tag,
      summary: 'List tokens of a group service account',
      gate: group,
      params: schema.tokens,
      paginated: true,
      responses: { 200: Type.Array(PersonalAccessToken) },
      handle: ({ subject, params: { id: _, user_id, ...asked }, page }) =>
        service.listAccountTokens(services, subject, user_id, asked, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/service_accounts/:user_id/personal_access_tokens',
      tag,
      summary: 'Create a token for a group service account',
      gate: group,
      params: schema.newToken,
      responses: { 201: NewToken },
      handle: ({ caller, subject, params: { id: _, user_id, ...input } }) =>
        service.createAccountToken(services, caller, subject, user_id, input),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id/rotate',
      tag,
      summary: 'Rotate a token of a group service account',
      gate: group,
      params: schema.rotation,
      responses: { 201: NewToken },
      handle: ({ caller, subject, params }) => service.rotateAccountToken(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id',
      tag,
      summary: 'Revoke a token of a group service account',
      gate: group,
      params: schema.oneToken,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.revokeAccountToken(services, caller, subject, params.user_id, params.token_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/service_accounts/:user_id/personal_access_tokens',
      tag,
      summary: 'List tokens of a project service account',
      gate: project,
      params: schema.tokens,
      paginated: true,
      responses: { 200: Type.Array(PersonalAccessToken) },
      handle: ({ subject, params: { id: _, user_id, ...asked }, page }) =>
        service.listAccountTokens(services, subject, user_id, asked, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/service_accounts/:user_id/personal_access_tokens',
      tag,
      summary: 'Create a token for a project service account',
      gate: project,
      params: schema.newToken,
      responses: { 201: NewToken },
      handle: ({ caller, subject, params: { id: _, user_id, ...input } }) =>
        service.createAccountToken(services, caller, subject, user_id, input),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/service_accounts/:user_id/personal_access_tokens/:token_id/rotate',
      tag,
      summary: 'Rotate a token of a project service account',
      gate: project,
      params: schema.rotation,
      responses: { 201: NewToken },
      handle: ({ caller, subject, params }) => service.rotateAccountToken(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/service_accounts/:user_id/personal_access_tokens/:token_id',
      tag,
      summary: 'Revoke a token of a project service account',
      gate: project,
      params: schema.oneToken,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.revokeAccountToken(services, caller, subject, params.user_id, params.token_id),
    }),
  ];
}
