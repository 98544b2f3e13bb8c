import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Message } from '../../platform/http/schema.ts';
import * as params from './params.ts';
import { removeProject } from './removal/service.ts';
import { Project, VisibleProject } from './schema.ts';
import * as life from './service.ts';
import { presentProject } from './views/present.ts';

const tag = 'projects';

/** Creation, reading, changing and removal of a project. */
export function lifeRoutes(services: Services, gates: Gates): Route[] {
  return [...creationRoutes(services, gates), ...readingRoutes(services, gates), ...removalRoutes(services, gates)];
}

function creationRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects',
      tag,
      summary: 'Create a project',
      gate: gates.signedIn,
      params: params.creation,
      rules: [params.nameOrPath],
      answers: { 201: Project },
      handle: ({ caller, params }) => life.create(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/projects/user/:user_id',
      tag,
      summary: 'Create a project for a user',
      gate: gates.admin,
      params: params.creationFor,
      answers: { 201: Project },
      handle: ({ caller, params: { user_id, ...wanted } }) => life.createFor(services, caller, user_id, wanted),
    }),
  ];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id',
      tag,
      summary: 'Get a project',
      gate: gates.project('read_project'),
      params: params.single,
      answers: { 200: VisibleProject },
      handle: ({ caller, subject, params }) =>
        presentProject(services, caller, subject, {
          layer: caller.user ? 'access' : 'anonymous',
          statistics: params.statistics,
          license: params.license,
          customAttributes: params.with_custom_attributes,
          importError: true,
        }),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id',
      tag,
      summary: 'Update a project',
      gate: gates.project('admin_project'),
      params: params.change,
      rules: [params.oneChange],
      answers: { 200: Project },
      handle: ({ caller, subject, params }) => life.update(services, caller, subject, params),
    }),
  ];
}

function removalRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/projects/:id',
      tag,
      summary: 'Delete a project',
      gate: gates.project('remove_project'),
      params: params.removal,
      answers: { 202: Message },
      handle: async ({ caller, subject, params }) => {
        await removeProject(services, caller, subject, params);
        return { message: '202 Accepted' };
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/restore',
      tag,
      summary: 'Restore a project that is marked for deletion',
      gate: gates.project('remove_project'),
      params: params.project,
      answers: { 201: Project },
      handle: ({ caller, subject }) => life.restore(services, caller, subject),
    }),
    ...[true, false].map((wanted) =>
      route({
        method: 'POST',
        path: `/projects/:id/${wanted ? 'archive' : 'unarchive'}`,
        tag,
        summary: wanted ? 'Archive a project' : 'Take a project out of the archive',
        gate: gates.project('archive_project'),
        params: params.project,
        answers: { 201: Project },
        handle: ({ caller, subject }) => life.archive(services, caller, subject, wanted),
      }),
    ),
  ];
}
