import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { Message } from '../../../platform/http/schema.ts';
import { Project, projectParam } from '../schema.ts';
import { presentChanged } from '../views/present.ts';
import { removalParams } from './schema.ts';
import { removeProject, restoreProject } from './service.ts';

const tag = 'projects';

/** Routes to delete and restore a project. */
export function removalRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/projects/:id',
      tag,
      summary: 'Delete a project',
      gate: gates.project('remove_project'),
      params: removalParams,
      responses: { 202: Message },
      handle: async ({ caller, subject, params, request }) => {
        checkUnmodified(request, subject.project.updated_at);
        await removeProject(services, caller, subject, params);
        return { message: '202 Accepted' };
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/restore',
      tag,
      summary: 'Restore a project marked for deletion',
      gate: gates.project('remove_project'),
      params: projectParam,
      responses: { 201: Project },
      handle: ({ caller, subject }) => presentChanged(services, caller, restoreProject(services, caller, subject)),
    }),
  ];
}
