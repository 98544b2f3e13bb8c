import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { cancelJobs, plannedJob } from '../jobs/public.ts';
import { followDownstream } from './follow.ts';
import { startDownstream } from './start.ts';
import { openChildren } from './store.ts';
import { failBridgesOfUpstream, followUpstream, mirrorUpstream } from './upstream.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.start-downstream': { jobId: number };
    'ci.mirror-upstream': { jobId: number };
    'ci.cancel-children': { pipelineId: number };
  }
}

/**
 * Downstream pipelines: child and multi-project pipelines started by trigger jobs, and upstream pipelines mirrored by
 * jobs.
 */
export const downstream: Area = {
  name: 'downstream pipelines',
  jobs: (services) => {
    const { queue } = services;
    const options = { maxAttempts: 5, timeoutMs: 120_000 };
    queue.defineJob('ci.start-downstream', (job) => startDownstream(services, job), options);
    queue.defineJob('ci.mirror-upstream', (job) => mirrorUpstream(services, job.payload.jobId), options);
    queue.defineJob('ci.cancel-children', (job) => cancelChildren(services, job.payload.pipelineId));
  },
  on: {
    'job.changed': async ({ queue }, trx, { job }) => {
      if (job.kind !== 'bridge' || job.status !== 'pending') return;
      const mirrors = plannedJob(job).upstream !== undefined;
      const work = mirrors ? 'ci.mirror-upstream' : 'ci.start-downstream';
      await queue.enqueue(trx, work, { jobId: job.id }, { priority: 1 });
    },
    'pipeline.canceled': async ({ queue }, trx, { pipelineId }) => {
      await queue.enqueue(trx, 'ci.cancel-children', { pipelineId });
    },
    'pipeline.changed': async (services, trx, change) => {
      await followDownstream(services, trx, change);
      await followUpstream(services, trx, change);
    },
    'pipeline.removed': failBridgesOfUpstream,
  },
};

async function cancelChildren(services: Services, pipelineId: number): Promise<void> {
  for (const { id } of await openChildren(services.db.read, pipelineId)) {
    await services.db.write((trx) => cancelJobs(services, trx, id));
  }
}
