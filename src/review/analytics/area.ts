import type { Area } from '../../access/area.ts';
import { analyticsRoutes } from './routes.ts';

/** DORA metrics of projects and groups, and recent activity of groups. */
export const analytics: Area = { name: 'analytics', routes: analyticsRoutes };
