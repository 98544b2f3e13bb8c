import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { pushGate } from '../repository/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

/** `/projects/:id/repository/health`. */
export function healthRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/health',
      tag: 'repositories',
      summary: 'Get repository health',
      gate: pushGate(gates),
      params: schema.reading,
      responses: { 200: schema.RepositoryHealth },
      handle: ({ subject, params, signal }) => service.getHealth(services, subject, params.generate, signal),
    }),
  ];
}
