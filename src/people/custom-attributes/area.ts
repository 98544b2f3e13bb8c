import type { Area } from '../../access/area.ts';
import { customAttributeRoutes } from './routes.ts';
import { deleteAttributesOf } from './store.ts';

export const customAttributes: Area = {
  name: 'custom-attributes',
  routes: customAttributeRoutes,
  on: {
    'user.removed': (_services, trx, { user }) => deleteAttributesOf(trx, 'user', user.id),
    'project.removed': (_services, trx, { project }) => deleteAttributesOf(trx, 'project', project.id),
    'group.removed': (_services, trx, { group }) => deleteAttributesOf(trx, 'group', group.id),
  },
};
