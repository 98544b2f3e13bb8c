import type { Area } from '../../access/area.ts';
import { templateRoutes } from './routes.ts';

/** Templates for files, issues and merge requests. */
export const templates: Area = { name: 'templates', routes: templateRoutes };
