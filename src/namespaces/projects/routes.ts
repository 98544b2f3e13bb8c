import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendAvatar } from '../../people/avatars/public.ts';
import { createProject, createProjectFor } from './create.ts';
import { requirePages } from './features.ts';
import {
  changeParams,
  creationForParams,
  creationParams,
  nameOrPath,
  oneChange,
  Project,
  projectParam,
  readParams,
  VisibleProject,
} from './schema.ts';
import { changeProject } from './update.ts';
import { presentChanged, presentProject } from './views/present.ts';

const tag = 'projects';

/** Routes for `/projects` and `/projects/:id`. */
export function projectRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects',
      tag,
      summary: 'Create a project',
      gate: gates.signedIn,
      params: creationParams,
      rules: [nameOrPath],
      responses: { 201: Project },
      handle: ({ caller, params }) => presentChanged(services, caller, createProject(services, caller, params)),
    }),
    route({
      method: 'POST',
      path: '/projects/user/:user_id',
      tag,
      summary: 'Create a project for a user',
      gate: gates.admin,
      params: creationForParams,
      responses: { 201: Project },
      handle: ({ caller, params: { user_id, ...wanted } }) =>
        presentChanged(services, caller, createProjectFor(services, user_id, wanted)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id',
      tag,
      summary: 'Get a project',
      gate: gates.project('read_project'),
      params: readParams,
      responses: { 200: VisibleProject },
      handle: ({ caller, subject, params }) =>
        presentProject(services, caller, subject, {
          layer: caller.user ? 'access' : 'anonymous',
          statistics: params.statistics,
          license: params.license,
          accessLevels: params.with_access_levels,
          customAttributes: params.with_custom_attributes,
          importError: true,
        }),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id',
      tag,
      summary: 'Update a project',
      // A custom role may be restricted to the settings of merge requests: see `checkRights`.
      gate: gates.project('manage_merge_request_settings'),
      params: changeParams,
      rules: [oneChange],
      responses: { 200: Project },
      handle: ({ caller, subject, params }) =>
        presentChanged(services, caller, changeProject(services, caller, subject, params)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/avatar',
      tag,
      summary: 'Download a project avatar',
      gate: gates.project('read_project'),
      params: projectParam,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, reply }) => sendAvatar(services.storage, reply, subject.project.avatar),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pages_access',
      tag,
      summary: 'Check access to the Pages of a project',
      gate: gates.project('read_project'),
      params: projectParam,
      responses: { 200: Type.Null() },
      handle: ({ subject }) => requirePages(subject),
    }),
  ];
}
