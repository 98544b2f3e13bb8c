import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { param } from '../../platform/http/params.ts';
import { enqueueHousekeeping } from './housekeeping.ts';
import { presentStorage } from './present.ts';
import { refreshProject } from './refresh.ts';
import { RepositoryStorage } from './schema.ts';

const tag = 'projects';

/** Storage location, size and housekeeping of repositories. */
export function upkeepRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/storage',
      tag,
      summary: 'Get the path to repository storage',
      gate: gates.project('read_storage', { signedIn: true }),
      params: projectParam,
      responses: { 200: RepositoryStorage },
      handle: ({ subject }) => presentStorage(subject.project),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/housekeeping',
      tag,
      summary: 'Start the housekeeping task for a project',
      gate: gates.project('housekeep'),
      params: { ...projectParam, task: param.oneOf(['eager', 'prune']) },
      responses: { 201: Type.Null() },
      handle: ({ subject, params }) => enqueueHousekeeping(services, subject.project, params.task),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository_size',
      tag,
      summary: 'Refresh the repository size of a project',
      gate: gates.project('housekeep'),
      params: projectParam,
      responses: { 201: Type.Null() },
      handle: async ({ subject, signal }) => {
        await refreshProject(services, subject.project.id, signal);
        return null;
      },
    }),
  ];
}
