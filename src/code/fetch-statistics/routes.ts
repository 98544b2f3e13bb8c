import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { FetchStatistics } from './schema.ts';
import { fetchStatistics } from './service.ts';

/** `/projects/:id/statistics`. */
export function fetchStatisticsRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/statistics',
      tag: 'projects',
      summary: 'Get the fetch statistics of a project',
      gate: gates.project('read_statistics', { signedIn: true }),
      params: projectParam,
      responses: { 200: FetchStatistics },
      handle: ({ subject }) => fetchStatistics(services, subject),
    }),
  ];
}
