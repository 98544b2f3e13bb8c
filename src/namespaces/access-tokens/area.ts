import type { Area } from '../../access/area.ts';
import { deleteGroupBots, retireProjectBots } from '../../people/users/public.ts';
import { tokenInventoryRoutes } from './inventory/routes.ts';
import { removeIdleBots } from './retire.ts';
import { accessTokenRoutes } from './routes.ts';

/** Access tokens of projects and groups. Each token belongs to a bot user. */
export const accessTokens: Area = {
  name: 'access-tokens',
  routes: (services, gates) => [...accessTokenRoutes(services, gates), ...tokenInventoryRoutes(services, gates)],
  jobs: (services) =>
    services.queue.recurring('access-tokens.idle-bots', { everyMs: 86_400_000 }, ({ signal }) =>
      removeIdleBots(services, signal),
    ),
  on: {
    'project.removed': (_services, trx, { project }) => retireProjectBots(trx, project.id),
    'group.removed': (_services, trx, { group }) => deleteGroupBots(trx, group.id),
  },
};
