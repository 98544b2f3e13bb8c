import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { accessTokenGates } from './gates.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'access tokens';

/** Routes for `/projects/:id/access_tokens` and `/groups/:id/access_tokens`. */
export function accessTokenRoutes(services: Services, gates: Gates): Route[] {
  const project = accessTokenGates(gates.project('read_project', { signedIn: true }), 'project');
  const group = accessTokenGates(gates.group('read_group', { signedIn: true }), 'group');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/access_tokens',
      tag,
      summary: 'List project access tokens',
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
      summary: 'Create a project access token',
      gate: project.creating,
      params: schema.creation,
      responses: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) => service.createResourceToken(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_tokens/self/rotate',
      tag,
      summary: 'Rotate the current project access token',
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
      summary: 'Get a project access token',
      gate: project.reading,
      params: schema.one,
      responses: { 200: schema.ResourceToken },
      handle: ({ subject, params }) => service.getResourceToken(services, subject, params.token_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_tokens/:token_id/rotate',
      tag,
      summary: 'Rotate a project access token',
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
      summary: 'Revoke a project access token',
      gate: project.touching,
      params: schema.one,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResourceToken(services, caller, subject, params.token_id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/access_tokens',
      tag,
      summary: 'List group access tokens',
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
      summary: 'Create a group access token',
      gate: group.creating,
      params: schema.creation,
      responses: { 201: schema.NewResourceToken },
      handle: ({ caller, subject, params }) => service.createResourceToken(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_tokens/self/rotate',
      tag,
      summary: 'Rotate the current group access token',
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
      summary: 'Get a group access token',
      gate: group.reading,
      params: schema.one,
      responses: { 200: schema.ResourceToken },
      handle: ({ subject, params }) => service.getResourceToken(services, subject, params.token_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_tokens/:token_id/rotate',
      tag,
      summary: 'Rotate a group access token',
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
      summary: 'Revoke a group access token',
      gate: group.touching,
      params: schema.one,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.revokeResourceToken(services, caller, subject, params.token_id),
    }),
  ];
}
