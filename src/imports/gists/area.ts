import type { Area } from '../../access/area.ts';
import { gistJobs } from './jobs.ts';
import { gistRoutes } from './routes.ts';

/** Gists of hosta, which become personal snippets. */
export const gists: Area = { name: 'gist imports', routes: gistRoutes, jobs: gistJobs };
