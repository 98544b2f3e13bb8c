import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { jobById, openTrace, plannedJob, updateCoverage, updateJob } from '../jobs/public.ts';
import { lockPipeline } from '../pipelines/public.ts';
import { finished, isStatus } from '../states/public.ts';
import { coverageIn } from './read.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.read-coverage': { jobId: number };
  }
}

/** Test coverage, parsed from job logs. */
export const coverage: Area = {
  name: 'coverage',
  jobs: (services) => services.queue.defineJob('ci.read-coverage', (job) => readCoverage(services, job.payload.jobId)),
  on: {
    'job.changed': async ({ queue }, trx, { job }) => {
      const ended = isStatus(job.status) && finished.has(job.status);
      if (!ended || job.kind !== 'build' || plannedJob(job).coverage === null) return;
      await queue.enqueue(trx, 'ci.read-coverage', { jobId: job.id });
    },
  },
};

async function readCoverage(services: Services, jobId: number): Promise<void> {
  const job = await jobById(services.db.read, jobId);
  const pattern = job && plannedJob(job).coverage;
  const log = job && job.erased_at === null ? await openTrace(services, job) : undefined;
  if (!job || !pattern || !log) return;
  const found = await coverageIn(log.stream, pattern);
  if (found === null) return;
  await services.db.write(async (trx) => {
    await lockPipeline(trx, job.pipeline_id);
    await updateJob(trx, jobId, { coverage: found });
    await updateCoverage(services, trx, job.pipeline_id);
  });
}
