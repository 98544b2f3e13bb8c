import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Project, projectParam } from '../schema.ts';
import { presentChanged } from '../views/present.ts';
import { archiveProject } from './service.ts';

const tag = 'projects';

export function archiveRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/archive',
      tag,
      summary: 'Archive a project',
      gate: gates.project('archive_project'),
      params: projectParam,
      responses: { 201: Project },
      handle: ({ caller, subject }) =>
        presentChanged(services, caller, archiveProject(services, caller, subject, true)),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/unarchive',
      tag,
      summary: 'Unarchive a project',
      gate: gates.project('archive_project'),
      params: projectParam,
      responses: { 201: Project },
      handle: ({ caller, subject }) =>
        presentChanged(services, caller, archiveProject(services, caller, subject, false)),
    }),
  ];
}
