import type { Area } from '../../access/area.ts';
import { codeReportRoutes } from './routes.ts';

/** What jobs report about lines of code: how far the tests reach them, and what linters say of them. */
export const codeReports: Area = {
  name: 'code reports',
  routes: codeReportRoutes,
};
