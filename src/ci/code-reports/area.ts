import type { Area } from '../../access/area.ts';
import { codeReportRoutes } from './routes.ts';

/** Reports of jobs about lines of code: test coverage and code quality. */
export const codeReports: Area = {
  name: 'code reports',
  routes: codeReportRoutes,
};
