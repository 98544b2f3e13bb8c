import type { Area } from '../../access/area.ts';
import { metadataRoutes } from './routes.ts';

/** Version and metadata of the server, and the API description. */
export const metadata: Area = {
  name: 'metadata',
  routes: metadataRoutes,
};
