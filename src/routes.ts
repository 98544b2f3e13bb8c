import { limitEndpoints } from './access/endpoint-limits.ts';
import type { Gates } from './access/gates.ts';
import type { Route } from './access/route.ts';
import { archiveRoutes } from './areas/archives/routes.ts';
import { backgroundRoutes } from './areas/background/routes.ts';
import { branchRoutes } from './areas/branches/routes.ts';
import { changelogRoutes } from './areas/changelog/routes.ts';
import { commitRoutes } from './areas/commits/routes.ts';
import { compareRoutes } from './areas/compare/routes.ts';
import { customAttributeRoutes } from './areas/custom-attributes/routes.ts';
import { deployRoutes } from './areas/deploy/routes.ts';
import { eventRoutes } from './areas/events/routes.ts';
import { fileRoutes } from './areas/files/routes.ts';
import { groupRoutes } from './areas/groups/routes.ts';
import { healthRoutes } from './areas/health/routes.ts';
import { instanceRoutes } from './areas/instance/routes.ts';
import { keyRoutes } from './areas/keys/routes.ts';
import { labelRoutes } from './areas/labels/routes.ts';
import { memberRoutes } from './areas/members/routes.ts';
import { namespaceRoutes } from './areas/namespaces/routes.ts';
import { projectRoutes } from './areas/projects/routes.ts';
import { protectedRefRoutes } from './areas/protected-refs/routes.ts';
import { releaseRoutes } from './areas/releases/routes.ts';
import { tagRoutes } from './areas/tags/routes.ts';
import { tokenRoutes } from './areas/tokens/routes.ts';
import { treeRoutes } from './areas/trees/routes.ts';
import { userRoutes } from './areas/users/routes.ts';
import type { Services } from './platform/services.ts';

/** Each area's operations; where two paths could both match, the router prefers the more literal one. */
const areas: readonly ((services: Services, gates: Gates) => Route[])[] = [
  archiveRoutes,
  backgroundRoutes,
  branchRoutes,
  changelogRoutes,
  commitRoutes,
  compareRoutes,
  deployRoutes,
  customAttributeRoutes,
  eventRoutes,
  fileRoutes,
  groupRoutes,
  healthRoutes,
  keyRoutes,
  labelRoutes,
  memberRoutes,
  namespaceRoutes,
  projectRoutes,
  protectedRefRoutes,
  releaseRoutes,
  tagRoutes,
  tokenRoutes,
  treeRoutes,
  userRoutes,
];

/** Every operation of the API. */
export function allRoutes(services: Services, gates: Gates): Route[] {
  const routes: Route[] = limitEndpoints(services, [
    ...instanceRoutes(services, gates, () => routes),
    ...areas.flatMap((area) => area(services, gates)),
  ]);
  return routes;
}
