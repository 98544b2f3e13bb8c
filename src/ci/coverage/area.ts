import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { currentJobs, jobById, openTrace, plannedJob, updateJob } from '../jobs/public.ts';
import { lockPipeline, type PipelineRow, updatePipeline } from '../pipelines/public.ts';
import { finished, isStatus } from '../states/public.ts';
import { coverageIn } from './read.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.read-coverage': { jobId: number };
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The coverage of a pipeline changed. */
    'pipeline.covered': { readonly pipeline: PipelineRow };
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
    const values = (await currentJobs(trx, job.pipeline_id)).flatMap((one) => one.coverage ?? []);
    if (values.length === 0) return;
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const pipeline = await updatePipeline(trx, job.pipeline_id, { coverage: mean });
    await services.announce(trx, 'pipeline.covered', { pipeline });
  });
}
