import type { Area } from '../../access/area.ts';
import { tokenInventoryRoutes } from './inventory/routes.ts';
import { accessTokenRoutes } from './routes.ts';

/** The access tokens of projects and groups, each with a bot that it acts for. */
export const accessTokens: Area = {
  name: 'access-tokens',
  routes: (services, gates) => [...accessTokenRoutes(services, gates), ...tokenInventoryRoutes(services, gates)],
};
