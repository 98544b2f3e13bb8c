import type { Gates } from '../../access/gates.ts';
import type { Route } from '../../access/route.ts';
import type { Services } from '../../platform/services.ts';
import { lifeRoutes } from './life-routes.ts';
import { listRoutes } from './list-routes.ts';

/** `/projects` and everything below it that is about the project itself. */
export function projectRoutes(services: Services, gates: Gates): Route[] {
  return [...listRoutes(services, gates), ...lifeRoutes(services, gates)];
}
