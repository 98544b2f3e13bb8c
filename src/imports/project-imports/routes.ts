import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectSubject } from '../../access/subjects.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { ImportStatus } from './schema.ts';
import { cancelImport, importStatus } from './service.ts';

export function importStatusRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/import',
      tag: 'imports',
      summary: 'Get the import status of a project',
      gate: gates.project('read_project', { signedIn: true }),
      params: projectParam,
      responses: { 200: ImportStatus },
      handle: ({ subject }) => importStatus(services, subject),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/import/cancel',
      tag: 'imports',
      summary: 'Cancel the import of a project',
      gate: gates.project('remove_project', { signedIn: true }),
      params: projectParam,
      responses: { 200: ImportStatus },
      handle: async ({ caller, subject }) => {
        const project = await cancelImport(services, subject.project);
        return importStatus(services, await projectSubject(services.db.read, caller, project));
      },
    }),
  ];
}
