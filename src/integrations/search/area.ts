import type { Area } from '../../access/area.ts';
import { searchRoutes } from './routes.ts';

export const search: Area = { name: 'search', routes: searchRoutes };
