import type { Area } from '../../access/area.ts';
import { scheduleRefresh } from '../../code/upkeep/refresh.ts';
import { projectRoutes } from './all-routes.ts';
import { projectJobs } from './removal/jobs.ts';
import { forgetUser, personalProjects } from './removed-users.ts';
import { serveProjectFiles } from './uploads/pages.ts';

export const projects: Area = {
  name: 'projects',
  routes: projectRoutes,
  jobs: projectJobs,
  on: { 'repository.pushed': scheduleRefresh, 'user.removed': forgetUser },
  contributes: { 'users.belongings': personalProjects },
  pages: async (app, { services, gates, identify }) => {
    serveProjectFiles(app, services, gates, identify);
    return undefined;
  },
};
