import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { atLeastOneOf } from '../../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

/** Deploy keys of the instance and of projects. */
export function deployKeyRoutes(services: Services, gates: Gates): Route[] {
  return [...instanceKeyRoutes(services, gates), ...projectKeyRoutes(services, gates)];
}

function instanceKeyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const tag = 'deploy keys';
  return [
    route({
      method: 'GET',
      path: '/deploy_keys',
      tag,
      summary: 'List all deploy keys',
      gate: gates.admin,
      params: schema.keyFilter,
      paginated: true,
      responses: { 200: Type.Array(schema.DeployKey) },
      handle: ({ caller, params, page }) => service.listAllKeys(db, caller, params.public, page),
    }),
    route({
      method: 'POST',
      path: '/deploy_keys',
      tag,
      summary: 'Create a public deploy key',
      gate: gates.admin,
      params: schema.publicKeyCreation,
      responses: { 201: schema.DeployKey },
      handle: ({ caller, params }) => service.createPublicKey(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/project_deploy_keys',
      tag,
      summary: 'List project deploy keys shared with a user',
      gate: gates.signedIn,
      params: schema.keysOfUser,
      paginated: true,
      responses: { 200: Type.Array(schema.DeployKey) },
      handle: ({ caller, params, page }) => service.listKeysOfUser(db, caller, params.user_id, page),
    }),
  ];
}

function projectKeyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const tag = 'deploy keys';
  const gate = gates.project('admin_deploy_key', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/deploy_keys',
      tag,
      summary: 'List deploy keys of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.ProjectDeployKey) },
      handle: ({ subject, page }) => service.listProjectKeys(db, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/deploy_keys',
      tag,
      summary: 'Create a deploy key for a project',
      gate,
      params: schema.keyCreation,
      responses: { 201: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => service.addProjectKey(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/deploy_keys/:key_id',
      tag,
      summary: 'Get a deploy key of a project',
      gate,
      params: schema.keyOf,
      responses: { 200: schema.ProjectDeployKey },
      handle: ({ subject, params }) => service.getProjectKey(db, subject, params.key_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/deploy_keys/:key_id',
      tag,
      summary: 'Update a deploy key of a project',
      gate,
      params: schema.keyChange,
      rules: [atLeastOneOf('title', 'can_push')],
      responses: { 200: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => service.updateProjectKey(db, caller, subject, params.key_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/deploy_keys/:key_id',
      tag,
      summary: 'Delete a deploy key from a project',
      gate,
      params: schema.keyOf,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.removeProjectKey(services, caller, subject, params.key_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/deploy_keys/:key_id/enable',
      tag,
      summary: 'Enable a deploy key in a project',
      gate,
      params: schema.keyOf,
      responses: { 201: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => service.enableProjectKey(services, caller, subject, params.key_id),
    }),
  ];
}
