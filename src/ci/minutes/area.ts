import type { Area } from '../../access/area.ts';
import { settleMonths } from './months.ts';
import { endBeyondGrace } from './running.ts';
import { countJob, gathering } from './service.ts';
import { minutesOf } from './usage.ts';

const minute = 60_000;

/** How long jobs are on runners of the instance, and whether they may be. */
export const minutes: Area = {
  name: 'minutes',
  jobs: (services) => {
    gathering(services);
    const { queue } = services;
    queue.recurring('runner-minutes.settle', { everyMs: 10 * minute }, ({ signal }) => settleMonths(services, signal));
    queue.recurring('runner-minutes.end', { everyMs: 5 * minute }, () => endBeyondGrace(services));
  },
  on: { 'job.changed': countJob },
  contributes: { 'namespaces.minutes': minutesOf },
};
