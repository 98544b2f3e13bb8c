import type { Area } from '../../access/area.ts';
import { reassignmentJobs } from './jobs.ts';
import { reassignmentRoutes } from './routes.ts';

/** Reassignment of placeholder contributions to real users. */
export const reassignments: Area = { name: 'reassignments', routes: reassignmentRoutes, jobs: reassignmentJobs };
