import type { Area } from '../../access/area.ts';
import { removeFilesOf, terraformJobs } from './removal.ts';
import { terraformRoutes } from './routes.ts';

export const terraformStates: Area = {
  name: 'terraform states',
  routes: terraformRoutes,
  jobs: terraformJobs,
  on: {
    'project.removed': (services, trx, { project }) => removeFilesOf(services, trx, { projectId: project.id }),
  },
};
