import type { Area } from '../../access/area.ts';
import { deploymentsOf } from './present-keys.ts';
import { deployRoutes } from './routes.ts';

export const deploy: Area = {
  name: 'deploy',
  routes: deployRoutes,
  contributes: { 'keys.deployments': deploymentsOf },
};
