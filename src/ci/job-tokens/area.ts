import type { Area } from '../../access/area.ts';
import { jobTokenRoutes } from './routes.ts';
import { jobOfToken } from './service.ts';

export const jobTokens: Area = {
  name: 'job tokens',
  routes: jobTokenRoutes,
  contributes: { 'access.job-token': jobOfToken },
};
