import type { Gates } from '../../access/gates.ts';
import type { Route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { forkRoutes } from '../../code/forks/routes.ts';
import { repositoryRoutes } from '../../code/upkeep/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { lifeRoutes } from './routes.ts';
import { actionRoutes } from './sharing/routes.ts';
import { topicRoutes } from './topics/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

const parts = [listRoutes, lifeRoutes, actionRoutes, forkRoutes, repositoryRoutes, uploadRoutes, topicRoutes];

/** `/projects` and what is below it about the project itself, lists of projects elsewhere, and topics. */
export function projectRoutes(services: Services, gates: Gates): Route[] {
  return parts.flatMap((part) => part(services, gates));
}
