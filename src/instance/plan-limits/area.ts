import type { Area } from '../../access/area.ts';
import { planLimitRoutes } from './routes.ts';

/** Plan limits of the instance. */
export const planLimits: Area = { name: 'plan-limits', routes: planLimitRoutes };
