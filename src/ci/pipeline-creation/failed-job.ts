import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type CiJobRow, cancelJobs, jobById } from '../jobs/public.ts';
import { pipelinesById } from '../pipelines/public.ts';
import { autoCancelOf } from './auto-cancel.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.cancel-after-failure': { jobId: number };
  }
}

/** Schedules canceling the pipeline after a job failed, if its configuration says so. */
export async function cancelAfterFailure({ queue }: Services, trx: Writer, { job }: { readonly job: CiJobRow }) {
  if (job.status !== 'failed' || job.allow_failure === 1) return;
  const [pipeline] = await pipelinesById(trx, [job.pipeline_id]);
  if (pipeline && autoCancelOf(pipeline).onJobFailure === 'all')
    await queue.enqueue(trx, 'ci.cancel-after-failure', { jobId: job.id });
}

/** Defines the cancellation job, which ignores jobs that were retried automatically. */
export function failureJobs(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('ci.cancel-after-failure', async ({ payload }) => {
    const job = await jobById(db.read, payload.jobId);
    if (job?.status !== 'failed' || job.retried === 1) return;
    await db.write((trx) => cancelJobs(services, trx, job.pipeline_id));
  });
}
