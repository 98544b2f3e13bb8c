import type { Area } from '../../access/area.ts';
import { statisticsRoutes } from './routes.ts';

export const statistics: Area = { name: 'statistics', routes: statisticsRoutes };
