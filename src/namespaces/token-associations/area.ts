import type { Area } from '../../access/area.ts';
import { tokenAssociationRoutes } from './routes.ts';

/** Groups and projects accessible with an access token. */
export const tokenAssociations: Area = {
  name: 'token-associations',
  routes: tokenAssociationRoutes,
};
