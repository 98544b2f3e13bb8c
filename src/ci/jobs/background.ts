import type { Services } from '../../access/services.ts';
import { RunAgain } from '../../platform/queue/queue.ts';
import { processPipeline } from './processing.ts';
import { jobById } from './store.ts';
import { transitionJob } from './transition.ts';

/** Defines the background jobs that process pipelines and start delayed jobs. */
export function pipelineJobs(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('ci.process-pipeline', async (job) => {
    await db.write(async (trx) => {
      await processPipeline(services, trx, job.payload.pipelineId);
      await job.finish(trx);
    });
  });
  queue.defineJob('ci.start-delayed-job', async (job) => {
    const wait = await db.write(async (trx) => {
      const row = await jobById(trx, job.payload.jobId);
      const remaining = (row?.scheduled_at ?? 0) - Date.now();
      if (remaining > 0) return remaining;
      await transitionJob(services, trx, job.payload.jobId, 'enqueue_scheduled', { facts: { due: true } });
      await job.finish(trx);
      return 0;
    });
    if (wait > 0) throw new RunAgain(wait);
  });
}
