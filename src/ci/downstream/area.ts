import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { cancelJobs } from '../jobs/public.ts';
import { followDownstream } from './follow.ts';
import { startDownstream } from './start.ts';
import { openChildren } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.start-downstream': { jobId: number };
    'ci.cancel-children': { pipelineId: number };
  }
}

/** Pipelines that jobs of other pipelines start: children, and those of other projects. */
export const downstream: Area = {
  name: 'downstream pipelines',
  jobs: (services) => {
    const { queue } = services;
    const options = { maxAttempts: 5, timeoutMs: 120_000 };
    queue.defineJob('ci.start-downstream', (job) => startDownstream(services, job), options);
    queue.defineJob('ci.cancel-children', (job) => cancelChildren(services, job.payload.pipelineId));
  },
  on: {
    'job.changed': async ({ queue }, trx, { job }) => {
      if (job.kind !== 'bridge' || job.status !== 'pending') return;
      await queue.enqueue(trx, 'ci.start-downstream', { jobId: job.id }, { priority: 1 });
    },
    'pipeline.canceled': async ({ queue }, trx, { pipelineId }) => {
      await queue.enqueue(trx, 'ci.cancel-children', { pipelineId });
    },
    'pipeline.changed': followDownstream,
  },
};

async function cancelChildren(services: Services, pipelineId: number): Promise<void> {
  for (const { id } of await openChildren(services.db.read, pipelineId)) {
    await services.db.write((trx) => cancelJobs(services, trx, id));
  }
}
