import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { languagesOf } from './service.ts';

/** `/projects/:id/languages`. */
export function languageRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/languages',
      tag: 'projects',
      summary: 'Get the languages of a project',
      gate: gates.project('read_code'),
      params: projectParam,
      responses: { 200: Type.Record(Type.String(), Type.Number()) },
      handle: ({ subject, signal }) => languagesOf(services, subject.project, signal),
    }),
  ];
}
