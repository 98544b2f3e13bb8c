import type { Area } from '../../access/area.ts';
import { planLimitRoutes } from './routes.ts';

/** How much of each thing the instance allows. */
export const planLimits: Area = { name: 'plan-limits', routes: planLimitRoutes };
