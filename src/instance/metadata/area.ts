import type { Area } from '../../access/area.ts';
import { metadataRoutes } from './routes.ts';

/** What this server is, and what it can be asked. */
export const metadata: Area = {
  name: 'metadata',
  routes: metadataRoutes,
};
