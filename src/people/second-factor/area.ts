import type { Area } from '../../access/area.ts';
import { createUserGates } from '../users/public.ts';
import { secondFactorRoutes } from './routes.ts';

/** What somebody has besides a password: codes of an app, and those written down for when it is lost. */
export const secondFactor: Area = {
  name: 'second-factor',
  routes: (services, gates) => secondFactorRoutes(services, createUserGates(services.db, gates)),
};
