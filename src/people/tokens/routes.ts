import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { createUserGates } from '../users/public.ts';
import { listAssociations } from './associations.ts';
import * as impersonation from './impersonation.ts';
import * as personal from './personal.ts';
import { presentUsed } from './present.ts';
import { resourceTokenRoutes } from './resource-routes.ts';
import * as schema from './schema.ts';
import { Associations } from './schema-associations.ts';

const tag = 'access tokens';

/** Every kind of access token: personal ones, those that impersonate, those of projects and groups. */
export function tokenRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...presentedRoutes(services, gates),
    ...personalRoutes(services, gates),
    ...creationRoutes(services, gates),
    ...impersonationRoutes(services, gates),
    ...resourceTokenRoutes(services, gates),
  ];
}

/** The token that a request comes with, whatever it is allowed to do otherwise. */
function presentedRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.signedIn;
  return [
    route({
      method: 'GET',
      path: '/personal_access_tokens/self',
      tag,
      summary: 'Get the presented token',
      gate,
      scopes: ['any'],
      params: {},
      answers: { 200: schema.UsedToken },
      handle: ({ caller }) => presentUsed(personal.presented(caller)),
    }),
    route({
      method: 'DELETE',
      path: '/personal_access_tokens/self',
      tag,
      summary: 'Revoke the presented token',
      gate,
      scopes: ['any'],
      params: {},
      answers: { 204: null },
      handle: ({ caller }) => personal.revokePresented(services, caller),
    }),
    route({
      method: 'GET',
      path: '/personal_access_tokens/self/associations',
      tag,
      summary: 'List the groups and projects that the presented token reaches',
      gate,
      scopes: ['any'],
      params: { min_access_level: param.integerOf(schema.resourceLevels) },
      paginated: true,
      answers: { 200: Associations },
      handle: ({ caller, params, page }) => {
        personal.presented(caller);
        return listAssociations(services, caller, params.min_access_level, page);
      },
    }),
    route({
      method: 'POST',
      path: '/personal_access_tokens/self/rotate',
      tag,
      summary: 'Replace the presented token',
      gate,
      scopes: ['self_rotate'],
      params: schema.rotation,
      answers: { 200: schema.NewToken },
      handle: ({ caller, params }) => personal.rotatePresented(services, caller, params.expires_at),
    }),
  ];
}

function personalRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.signedIn;
  const path = '/personal_access_tokens/:id(^\\d+$)';
  return [
    route({
      method: 'GET',
      path: '/personal_access_tokens',
      tag,
      summary: 'List personal access tokens',
      gate,
      params: { user_id: param.integer(), ...schema.filters },
      paginated: true,
      answers: { 200: Type.Array(schema.UsedToken) },
      handle: ({ caller, params, page }) => personal.listTokens(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Get a personal access token',
      gate,
      params: schema.numbered,
      answers: { 200: schema.UsedToken },
      handle: ({ caller, params }) => personal.getToken(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: `${path}/rotate`,
      tag,
      summary: 'Replace a personal access token',
      gate,
      params: { ...schema.numbered, ...schema.rotation },
      answers: { 200: schema.NewToken },
      handle: ({ caller, params }) => personal.rotateToken(services, caller, params.id, params.expires_at),
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Revoke a personal access token',
      gate,
      params: schema.numbered,
      answers: { 204: null },
      handle: ({ caller, params }) => personal.revokeToken(services, caller, params.id),
    }),
  ];
}

function creationRoutes(services: Services, gates: Gates): Route[] {
  const users = createUserGates(services.db, gates, 'user_id');
  return [
    route({
      method: 'POST',
      path: '/users/:user_id(^\\d+$)/personal_access_tokens',
      tag,
      summary: 'Create a personal access token for a user',
      gate: users.admin,
      params: { ...schema.ofUser, ...schema.creation },
      answers: { 201: schema.NewToken },
      handle: ({ subject, params }) => personal.createTokenFor(services, subject, params),
    }),
    route({
      method: 'POST',
      path: '/user/personal_access_tokens',
      tag,
      summary: 'Create a personal access token of narrow scope for yourself',
      gate: gates.signedIn,
      params: schema.ownCreation,
      answers: { 201: schema.NewToken },
      handle: ({ subject, params }) => {
        if (subject.kind !== 'human') throw new Forbidden();
        return personal.createTokenFor(services, subject, params);
      },
    }),
  ];
}

function impersonationRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const gate = createUserGates(db, gates, 'user_id').admin;
  const path = '/users/:user_id(^\\d+$)/impersonation_tokens';
  const one = { ...schema.ofUser, impersonation_token_id: required(param.integer()) };
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List the tokens that impersonate a user',
      gate,
      params: { ...schema.ofUser, state: withDefault(param.oneOf(['all', 'active', 'inactive']), 'all') },
      paginated: true,
      answers: { 200: Type.Array(schema.ImpersonationToken) },
      handle: ({ subject, params, page }) => impersonation.listImpersonationTokens(db, subject.id, params.state, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a token that impersonates a user',
      gate,
      params: schema.impersonation,
      answers: { 201: schema.NewImpersonationToken },
      handle: ({ subject, params }) => impersonation.createImpersonationToken(services, subject, params),
    }),
    route({
      method: 'GET',
      path: `${path}/:impersonation_token_id`,
      tag,
      summary: 'Get a token that impersonates a user',
      gate,
      params: one,
      answers: { 200: schema.ImpersonationToken },
      handle: ({ subject, params }) =>
        impersonation.getImpersonationToken(db, subject.id, params.impersonation_token_id),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:impersonation_token_id`,
      tag,
      summary: 'Revoke a token that impersonates a user',
      gate,
      params: one,
      answers: { 204: null },
      handle: ({ subject, params }) =>
        impersonation.revokeImpersonationToken(db, subject.id, params.impersonation_token_id),
    }),
  ];
}
