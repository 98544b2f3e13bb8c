import type { Area } from '../../access/area.ts';
import { keyRoutes } from './routes.ts';
import { releaseDeployKeys } from './store.ts';

export const keys: Area = {
  name: 'keys',
  routes: keyRoutes,
  on: { 'user.removed': (_services, trx, { user }) => releaseDeployKeys(trx, user.id) },
};
