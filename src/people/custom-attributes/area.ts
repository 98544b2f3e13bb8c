import type { Area } from '../../access/area.ts';
import { customAttributeRoutes } from './routes.ts';
import { forgetAttributes } from './store.ts';

export const customAttributes: Area = {
  name: 'custom-attributes',
  routes: customAttributeRoutes,
  on: {
    'user.removed': (_services, trx, { user }) => forgetAttributes(trx, 'user', user.id),
    'project.removed': (_services, trx, { project }) => forgetAttributes(trx, 'project', project.id),
    'group.removed': (_services, trx, { group }) => forgetAttributes(trx, 'group', group.id),
  },
};
