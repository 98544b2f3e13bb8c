import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'deploy tokens';

/** Deploy tokens of the instance, projects and groups. */
export function deployTokenRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  return [
    route({
      method: 'GET',
      path: '/deploy_tokens',
      tag,
      summary: 'List all deploy tokens',
      gate: gates.admin,
      params: schema.tokenFilter,
      paginated: true,
      responses: { 200: Type.Array(schema.DeployToken) },
      handle: ({ params, page }) => service.listDeployTokens(db, undefined, params.active, page),
    }),
    ...projectTokenRoutes(services, gates),
    ...groupTokenRoutes(services, gates),
  ];
}

function projectTokenRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const gate = gates.project('admin_deploy_token', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/deploy_tokens',
      tag,
      summary: 'List deploy tokens of a project',
      gate,
      params: { ...schema.owner, ...schema.tokenFilter },
      paginated: true,
      responses: { 200: Type.Array(schema.DeployToken) },
      handle: ({ subject, params, page }) => service.listDeployTokens(db, subject, params.active, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/deploy_tokens',
      tag,
      summary: 'Create a deploy token for a project',
      gate,
      params: schema.tokenCreation,
      responses: { 201: schema.DeployTokenWithToken },
      handle: ({ caller, subject, params }) => service.createDeployToken(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/deploy_tokens/:token_id',
      tag,
      summary: 'Get a deploy token of a project',
      gate,
      params: schema.tokenOf,
      responses: { 200: schema.DeployToken },
      handle: ({ subject, params }) => service.getDeployToken(db, subject, params.token_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/deploy_tokens/:token_id',
      tag,
      summary: 'Delete a deploy token of a project',
      gate,
      params: schema.tokenOf,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteDeployToken(services, caller, subject, params.token_id),
    }),
  ];
}

function groupTokenRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const read = gates.group('read_deploy_token', { signedIn: true });
  const admin = gates.group('admin_deploy_token', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/deploy_tokens',
      tag,
      summary: 'List deploy tokens of a group',
      gate: read,
      params: { ...schema.owner, ...schema.tokenFilter },
      paginated: true,
      responses: { 200: Type.Array(schema.DeployToken) },
      handle: ({ subject, params, page }) => service.listDeployTokens(db, subject, params.active, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/deploy_tokens',
      tag,
      summary: 'Create a deploy token for a group',
      gate: admin,
      params: schema.tokenCreation,
      responses: { 201: schema.DeployTokenWithToken },
      handle: ({ caller, subject, params }) => service.createDeployToken(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/deploy_tokens/:token_id',
      tag,
      summary: 'Get a deploy token of a group',
      gate: read,
      params: schema.tokenOf,
      responses: { 200: schema.DeployToken },
      handle: ({ subject, params }) => service.getDeployToken(db, subject, params.token_id),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/deploy_tokens/:token_id',
      tag,
      summary: 'Delete a deploy token of a group',
      gate: admin,
      params: schema.tokenOf,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteDeployToken(services, caller, subject, params.token_id),
    }),
  ];
}
