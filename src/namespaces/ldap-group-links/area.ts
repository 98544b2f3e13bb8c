import type { Area } from '../../access/area.ts';
import { ldapGroupLinkRoutes } from './routes.ts';
import { endRolesOf } from './store.ts';

export const ldapGroupLinks: Area = {
  name: 'LDAP group links',
  routes: ldapGroupLinkRoutes,
  on: { 'group.transferred': (_services, trx, { group, lost }) => endRolesOf(trx, lost, group.id) },
};
