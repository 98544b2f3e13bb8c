import type { Gates } from './access/gates.ts';
import type { Route } from './access/route.ts';
import { instanceRoutes } from './areas/instance/routes.ts';
import { labelRoutes } from './areas/labels/routes.ts';
import type { Services } from './platform/services.ts';

/** Every operation of the API. */
export function allRoutes(services: Services, gates: Gates): Route[] {
  const routes: Route[] = [...instanceRoutes(services, gates, () => routes), ...labelRoutes(services, gates)];
  return routes;
}
