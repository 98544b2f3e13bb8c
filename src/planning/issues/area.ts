import type { Area } from '../../access/area.ts';
import { issueRoutes } from './routes.ts';

export const issues: Area = {
  name: 'issues',
  routes: issueRoutes,
};
