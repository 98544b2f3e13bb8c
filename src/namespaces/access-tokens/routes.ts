import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { accessTokenGates } from './gates.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'access tokens';

/** `/projects/:id/access_tokens` and `/groups/:id/access_tokens`. */
export function accessTokenRoutes(services: Services, gates: Gates): Route[] {
  const project = accessTokenGates(gates.project('read_project', { signedIn: true }), 'project');
  const group = accessTokenGates(gates.group('read_group', { signedIn: true }), 'group');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/access_tokens',
      tag,
      summary: 'List the access tokens of a project',
      gate: project.reading,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params: { id: _, ...asked }, page }) =>
        service.listResourceTokens(services, subject, asked, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_tokens',
      tag,
      summary: 'Create an access token of a project, with a bot that it acts for',
      gate: project.creating,
      params: schema.creation,
      responses: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) => service.createResourceToken(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_tokens/self/rotate',
      tag,
      summary: 'Replace the access token of a project that is presented',
      gate: project.touching,
      scopes: ['self_rotate'],
      params: schema.ownRotation,
      responses: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateOwnResourceToken(services, caller, subject, params.expires_at),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/access_tokens/:token_id',
      tag,
      summary: 'Get an access token of a project',
      gate: project.reading,
      params: schema.one,
      responses: { 200: schema.ResourceToken },
      handle: ({ subject, params }) => service.getResourceToken(services, subject, params.token_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_tokens/:token_id/rotate',
      tag,
      summary: 'Replace an access token of a project',
      gate: project.touching,
      params: schema.rotation,
      responses: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateResourceToken(services, caller, subject, params.token_id, params.expires_at),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/access_tokens/:token_id',
      tag,
      summary: 'Revoke an access token of a project',
      gate: project.touching,
      params: schema.one,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResourceToken(services, caller, subject, params.token_id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/access_tokens',
      tag,
      summary: 'List the access tokens of a group',
      gate: group.reading,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.ResourceToken) },
      handle: ({ subject, params: { id: _, ...asked }, page }) =>
        service.listResourceTokens(services, subject, asked, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_tokens',
      tag,
      summary: 'Create an access token of a group, with a bot that it acts for',
      gate: group.creating,
      params: schema.creation,
      responses: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) => service.createResourceToken(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_tokens/self/rotate',
      tag,
      summary: 'Replace the access token of a group that is presented',
      gate: group.touching,
      scopes: ['self_rotate'],
      params: schema.ownRotation,
      responses: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateOwnResourceToken(services, caller, subject, params.expires_at),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/access_tokens/:token_id',
      tag,
      summary: 'Get an access token of a group',
      gate: group.reading,
      params: schema.one,
      responses: { 200: schema.ResourceToken },
      handle: ({ subject, params }) => service.getResourceToken(services, subject, params.token_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_tokens/:token_id/rotate',
      tag,
      summary: 'Replace an access token of a group',
      gate: group.touching,
      params: schema.rotation,
      responses: { 200: schema.NewResourceToken },
      handle: ({ caller, subject, params }) =>
        service.rotateResourceToken(services, caller, subject, params.token_id, params.expires_at),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/access_tokens/:token_id',
      tag,
      summary: 'Revoke an access token of a group',
      gate: group.touching,
      params: schema.one,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResourceToken(services, caller, subject, params.token_id),
    }),
  ];
}
