import type { Area } from '../../access/area.ts';
import { templateRoutes } from './routes.ts';

/** Files, issues and merge requests need not begin empty. */
export const templates: Area = { name: 'templates', routes: templateRoutes };
