import type { Area } from '../../access/area.ts';
import { testReportRoutes } from './routes.ts';

export const testReports: Area = {
  name: 'test reports',
  routes: testReportRoutes,
};
