import type { Area } from '../../access/area.ts';
import { addPersonalNamespace, renamePersonalNamespace } from './personal/service.ts';
import { namespaceRoutes } from './routes.ts';

export const namespaces: Area = {
  name: 'namespaces',
  routes: namespaceRoutes,
  on: { 'user.created': addPersonalNamespace, 'user.updated': renamePersonalNamespace },
};
