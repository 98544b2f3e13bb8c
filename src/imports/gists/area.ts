import type { Area } from '../../access/area.ts';
import { gistJobs } from './jobs.ts';
import { gistRoutes } from './routes.ts';

/** Imports GitHub gists as personal snippets. */
export const gists: Area = { name: 'gist imports', routes: gistRoutes, jobs: gistJobs };
