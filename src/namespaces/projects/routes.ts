import type { Gates } from '../../access/gates.ts';
import type { Route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { actionRoutes } from './action-routes.ts';
import { forkRoutes } from './fork-routes.ts';
import { lifeRoutes } from './life-routes.ts';
import { listRoutes } from './list-routes.ts';
import { repositoryRoutes } from './repository-routes.ts';
import { topicRoutes } from './topic-routes.ts';
import { uploadRoutes } from './upload-routes.ts';

const parts = [listRoutes, lifeRoutes, actionRoutes, forkRoutes, repositoryRoutes, uploadRoutes, topicRoutes];

/** `/projects` and what is below it about the project itself, lists of projects elsewhere, and topics. */
export function projectRoutes(services: Services, gates: Gates): Route[] {
  return parts.flatMap((part) => part(services, gates));
}
