import type { Area } from '../../access/area.ts';
import { appearanceRoutes } from './routes.ts';

/** How the instance presents itself. */
export const appearance: Area = { name: 'appearance', routes: appearanceRoutes };
