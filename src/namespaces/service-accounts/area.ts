import type { Area } from '../../access/area.ts';
import { provisionedRoutes } from './provisioned-routes.ts';
import { serviceAccountRoutes } from './routes.ts';
import { removeAccountsOf } from './service.ts';
import { serviceAccountTokenRoutes } from './token-routes.ts';

/** Service accounts of the instance, groups and projects. Those of a project are removed like its bots. */
export const serviceAccounts: Area = {
  name: 'service-accounts',
  routes: (services, gates) => [
    ...serviceAccountRoutes(services, gates),
    ...serviceAccountTokenRoutes(services, gates),
    ...provisionedRoutes(services, gates),
  ],
  on: {
    'group.removed': (services, trx, { group }) => removeAccountsOf(services, trx, group.id),
  },
};
