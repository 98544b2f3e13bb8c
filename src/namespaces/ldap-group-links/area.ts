import type { Area } from '../../access/area.ts';
import { ldapGroupLinkRoutes } from './routes.ts';

export const ldapGroupLinks: Area = { name: 'LDAP group links', routes: ldapGroupLinkRoutes };
