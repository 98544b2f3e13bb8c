import type { Area } from '../../access/area.ts';
import { createUserGates } from '../users/public.ts';
import { secondFactorRoutes } from './routes.ts';

/** Second factors: TOTP apps and recovery codes. */
export const secondFactor: Area = {
  name: 'second-factor',
  routes: (services, gates) => secondFactorRoutes(services, createUserGates(services.db, gates)),
};
