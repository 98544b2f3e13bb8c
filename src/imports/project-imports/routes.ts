import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { ImportStatus } from './schema.ts';
import { importStatus } from './service.ts';

export function importStatusRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/import',
      tag: 'imports',
      summary: 'Get how far the import of a project has come',
      gate: gates.project('read_project', { signedIn: true }),
      params: projectParam,
      answers: { 200: ImportStatus },
      handle: ({ subject }) => importStatus(services, subject),
    }),
  ];
}
