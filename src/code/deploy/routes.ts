import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import * as keys from './keys.ts';
import * as schema from './schema.ts';
import * as tokens from './tokens.ts';

/** Deploy tokens and deploy keys. */
export function deployRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const signedIn = { signedIn: true };
  const project = gates.project('admin_deploy_token', signedIn);
  return [
    route({
      method: 'GET',
      path: '/deploy_tokens',
      tag: 'deploy tokens',
      summary: 'List all deploy tokens',
      gate: gates.admin,
      params: schema.tokenFilter,
      paginated: true,
      answers: { 200: Type.Array(schema.DeployToken) },
      handle: ({ params, page }) => tokens.listDeployTokens(db, undefined, params.active, page),
    }),
    ...tokenRoutes(db, '/projects/:id/deploy_tokens', project, project),
    ...tokenRoutes(
      db,
      '/groups/:id/deploy_tokens',
      gates.group('read_deploy_token', signedIn),
      gates.group('admin_deploy_token', signedIn),
    ),
    ...instanceKeyRoutes(services, gates),
    ...projectKeyRoutes(services, gates),
  ];
}

type PlaceGate = Gate<Actor, ProjectOrGroup>;

function tokenRoutes(db: Database, path: string, read: PlaceGate, admin: PlaceGate): Route[] {
  const tag = 'deploy tokens';
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List deploy tokens',
      gate: read,
      params: { ...schema.owner, ...schema.tokenFilter },
      paginated: true,
      answers: { 200: Type.Array(schema.DeployToken) },
      handle: ({ subject, params, page }) => tokens.listDeployTokens(db, subject, params.active, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a deploy token',
      gate: admin,
      params: schema.tokenCreation,
      answers: { 201: schema.DeployTokenWithToken },
      handle: ({ caller, subject, params }) => tokens.createDeployToken(db, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: `${path}/:token_id`,
      tag,
      summary: 'Get a deploy token',
      gate: read,
      params: schema.tokenOf,
      answers: { 200: schema.DeployToken },
      handle: ({ subject, params }) => tokens.getDeployToken(db, subject, params.token_id),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:token_id`,
      tag,
      summary: 'Delete a deploy token',
      gate: admin,
      params: schema.tokenOf,
      answers: { 204: null },
      handle: ({ subject, params }) => tokens.deleteDeployToken(db, subject, params.token_id),
    }),
  ];
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
      answers: { 200: Type.Array(schema.DeployKey) },
      handle: ({ caller, params, page }) => keys.listAllKeys(db, caller, params.public, page),
    }),
    route({
      method: 'POST',
      path: '/deploy_keys',
      tag,
      summary: 'Add a deploy key that every project may enable',
      gate: gates.admin,
      params: schema.publicKeyCreation,
      answers: { 201: schema.DeployKey },
      handle: ({ caller, params }) => keys.createPublicKey(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/project_deploy_keys',
      tag,
      summary: 'List the deploy keys of projects in common with a user',
      gate: gates.signedIn,
      params: schema.keysOfUser,
      paginated: true,
      answers: { 200: Type.Array(schema.DeployKey) },
      handle: ({ caller, params, page }) => keys.listKeysOfUser(db, caller, params.user_id, page),
    }),
  ];
}

function projectKeyRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const tag = 'deploy keys';
  const path = '/projects/:id/deploy_keys';
  const gate = gates.project('admin_deploy_key', { signedIn: true });
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: "List a project's deploy keys",
      gate,
      params: schema.owner,
      paginated: true,
      answers: { 200: Type.Array(schema.ProjectDeployKey) },
      handle: ({ subject, page }) => keys.listProjectKeys(db, subject, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add a deploy key to a project',
      gate,
      params: schema.keyCreation,
      answers: { 201: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => keys.addProjectKey(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: `${path}/:key_id`,
      tag,
      summary: "Get a project's deploy key",
      gate,
      params: schema.keyOf,
      answers: { 200: schema.ProjectDeployKey },
      handle: ({ subject, params }) => keys.getProjectKey(db, subject, params.key_id),
    }),
    route({
      method: 'PUT',
      path: `${path}/:key_id`,
      tag,
      summary: "Update a project's deploy key",
      gate,
      params: schema.keyChange,
      rules: [atLeastOneOf('title', 'can_push')],
      answers: { 200: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => keys.updateProjectKey(db, caller, subject, params.key_id, params),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key_id`,
      tag,
      summary: 'Take a deploy key from a project',
      gate,
      params: schema.keyOf,
      answers: { 204: null },
      handle: ({ subject, params }) => keys.removeProjectKey(db, subject, params.key_id),
    }),
    route({
      method: 'POST',
      path: `${path}/:key_id/enable`,
      tag,
      summary: 'Enable a deploy key in a project',
      gate,
      params: schema.keyOf,
      answers: { 201: schema.ProjectDeployKey },
      handle: ({ caller, subject, params }) => keys.enableProjectKey(db, caller, subject, params.key_id),
    }),
  ];
}
