import type { Area } from '../../access/area.ts';
import { removeGroupBots } from './resource-store.ts';
import { tokenRoutes } from './routes.ts';

export const tokens: Area = {
  name: 'tokens',
  routes: tokenRoutes,
  on: { 'group.removed': (_services, trx, { group }) => removeGroupBots(trx, group.id) },
};
