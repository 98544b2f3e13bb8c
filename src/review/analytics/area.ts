import type { Area } from '../../access/area.ts';
import { analyticsRoutes } from './routes.ts';

/** How changes get from a merge to where they are in use, and how much happens in a group. */
export const analytics: Area = { name: 'analytics', routes: analyticsRoutes };
