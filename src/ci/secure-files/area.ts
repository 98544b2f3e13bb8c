import type { Area } from '../../access/area.ts';
import { secureFileRoutes } from './routes.ts';

export const secureFiles: Area = { name: 'secure files', routes: secureFileRoutes };
