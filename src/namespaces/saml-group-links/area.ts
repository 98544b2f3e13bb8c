import type { Area } from '../../access/area.ts';
import { samlGroupLinkRoutes } from './routes.ts';
import { endRolesOf } from './store.ts';
import { syncUser } from './sync.ts';

export const samlGroupLinks: Area = {
  name: 'SAML group links',
  routes: samlGroupLinkRoutes,
  on: {
    'provider.identified': async (services, trx, { userId, provider, groups }) => {
      if (provider.protocol === 'saml') await syncUser(services, trx, userId, provider.name, groups);
    },
    'group.transferred': (_services, trx, { group, lost }) => endRolesOf(trx, lost, group.id),
  },
};
