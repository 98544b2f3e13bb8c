import type { Area } from '../../access/area.ts';
import { tokenAssociationRoutes } from './routes.ts';

/** What an access token reaches. */
export const tokenAssociations: Area = {
  name: 'token-associations',
  routes: tokenAssociationRoutes,
};
