import type { Area } from '../../access/area.ts';
import { broadcastMessageRoutes } from './routes.ts';

/** What administrators tell everybody on the pages for a while. */
export const broadcastMessages: Area = { name: 'broadcast-messages', routes: broadcastMessageRoutes };
