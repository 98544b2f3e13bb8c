import type { Area } from '../../access/area.ts';
import { countJob, gathering } from './service.ts';

/** How long jobs are on runners of the instance, and whether they may be. */
export const minutes: Area = { name: 'minutes', jobs: gathering, on: { 'job.changed': countJob } };
