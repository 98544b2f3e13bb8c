import type { Area } from '../../access/area.ts';
import { broadcastMessageRoutes } from './routes.ts';

/** Broadcast messages shown on all pages. */
export const broadcastMessages: Area = { name: 'broadcast-messages', routes: broadcastMessageRoutes };
