import type { Area } from '../../access/area.ts';
import { settleMonths } from './months.ts';
import { dropOverQuotaJobs } from './running.ts';
import { countJob, usageCompactionJob } from './service.ts';
import { minutesOf } from './usage.ts';

const minute = 60_000;

/** Compute minutes on instance runners: usage and limits. */
export const minutes: Area = {
  name: 'minutes',
  jobs: (services) => {
    usageCompactionJob(services);
    const { queue } = services;
    queue.recurring('runner-minutes.settle', { everyMs: 10 * minute }, ({ signal }) => settleMonths(services, signal));
    queue.recurring('runner-minutes.end', { everyMs: 5 * minute }, () => dropOverQuotaJobs(services));
  },
  on: { 'job.changed': countJob },
  contributes: { 'namespaces.minutes': minutesOf },
};
