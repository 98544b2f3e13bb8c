import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../platform/services.ts';
import * as life from './life.ts';
import * as params from './params.ts';
import { presentProject } from './present.ts';
import { Project, VisibleProject } from './schema.ts';

const tag = 'projects';

/** Creation, reading, changing and removal of a project. */
export function lifeRoutes(services: Services, gates: Gates): Route[] {
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
  ];
}
