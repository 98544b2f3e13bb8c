import type { Services } from '../../access/services.ts';
import { type HousekeepingTask, housekeepProject } from './housekeeping.ts';
import { refreshProject } from './refresh.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'projects.housekeep': { projectId: number; task: HousekeepingTask };
    /** Updates the repository statistics in the project's row. */
    'projects.refresh': { projectId: number };
  }
}

const hour = 60 * 60 * 1000;

/** Defines the jobs for housekeeping and repository statistics. */
export function upkeepJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('projects.housekeep', ({ payload, signal }) => housekeepProject(services, payload, signal), {
    timeoutMs: 2 * hour,
    concurrency: 1,
  });
  queue.defineJob('projects.refresh', ({ payload, signal }) => refreshProject(services, payload.projectId, signal));
}
