import type { Area } from '../../access/area.ts';
import { reassignmentJobs } from './jobs.ts';
import { reassignmentRoutes } from './routes.ts';

/** People of other hosts who turn out to be people of this one. */
export const reassignments: Area = { name: 'reassignments', routes: reassignmentRoutes, jobs: reassignmentJobs };
