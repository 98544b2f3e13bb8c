import type { Area } from '../../access/area.ts';
import { projectJobs } from './jobs.ts';
import { serveProjectFiles } from './pages.ts';
import { scheduleRefresh } from './refresh.ts';
import { projectRoutes } from './routes.ts';

export const projects: Area = {
  name: 'projects',
  routes: projectRoutes,
  jobs: projectJobs,
  on: { 'repository.pushed': scheduleRefresh },
  pages: async (app, { services, gates, identify }) => {
    serveProjectFiles(app, services, gates, identify);
    return undefined;
  },
};
