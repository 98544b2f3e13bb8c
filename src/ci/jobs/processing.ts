import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockPipeline, type PipelineRow, updatePipeline } from '../pipelines/public.ts';
import {
  compositeStatus,
  enqueuedPipeline,
  finished,
  isStatus,
  nextSteps,
  type ProcessedJob,
  type ProcessingStep,
  type Status,
} from '../states/public.ts';
import { busySeconds } from './busy-time.ts';
import { needsOf, plannedJob, statusOf } from './job-row.ts';
import { externalParts, type JobChange, jobById, meanCoverage, type OutlinedJob, outlinedJobs } from './store.ts';
import type { CiJobRow } from './tables.ts';
import { moveJob } from './transition.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The status of a pipeline changed. */
    'pipeline.changed': { readonly pipeline: PipelineRow; readonly before: string };
  }
}

/**
 * Enqueues, schedules, offers for manual start or skips every job that is ready, then updates the pipeline status.
 * Idempotent.
 */
export async function processPipeline(services: Services, trx: Writer, pipelineId: number): Promise<void> {
  const pipeline = await lockPipeline(trx, pipelineId);
  if (!pipeline) return;
  const jobs = await outlinedJobs(trx, pipelineId);
  const steps = nextSteps(jobs.map(processed));
  for (const step of steps) await applyStep(services, trx, step);
  await reconcilePipeline(services, trx, pipeline);
}

function processed(job: OutlinedJob): ProcessedJob {
  return {
    id: job.id,
    name: job.name,
    stageIndex: job.stage_index,
    status: statusOf(job),
    allowFailure: job.allow_failure === 1,
    when: job.starts as ProcessedJob['when'],
    needs: needsOf(job),
    atOnce: job.starts_at_once === 1,
  };
}

async function applyStep(services: Services, trx: Writer, { id, event }: ProcessingStep): Promise<void> {
  if (event === 'schedule') await schedule(services, trx, id);
  else if (event === 'enqueue') await startJob(services, trx, id);
  else await moveJob(services, trx, id, event);
}

/** Enqueues a job for runners, or lets a bridge start its pipeline. */
export function startJob(
  services: Services,
  trx: Writer,
  id: number,
  change: JobChange = {},
): Promise<CiJobRow | undefined> {
  return moveJob(services, trx, id, 'enqueue', { change });
}

async function schedule(services: Services, trx: Writer, id: number): Promise<void> {
  const job = await jobById(trx, id);
  if (!job) return;
  const due = Date.now() + (plannedJob(job).startIn ?? 0) * 1000;
  await moveJob(services, trx, id, 'schedule', { change: { scheduled_at: due } });
  await services.queue.enqueue(trx, 'ci.start-delayed-job', { jobId: id }, { runAt: due });
}

/** Computes the status of a locked pipeline from its jobs and external statuses. */
export async function reconcilePipeline(services: Services, trx: Writer, pipeline: PipelineRow): Promise<void> {
  const jobs = await outlinedJobs(trx, pipeline.id);
  const parts = jobs.map((job) => ({ status: statusOf(job), allowFailure: job.allow_failure === 1 }));
  const composite = compositeStatus([...parts, ...(await externalParts(trx, pipeline.id))]);
  // A pipeline that once ran is running again, not pending, when a retried job waits for a runner.
  const status = composite === 'pending' && isStatus(pipeline.status) ? enqueuedPipeline(pipeline.status) : composite;
  if (status === null || status === pipeline.status) return;
  const coverage = await meanCoverage(trx, pipeline.id);
  const updated = await updatePipeline(trx, pipeline.id, { status, ...timingsOf(pipeline, jobs, status), coverage });
  await services.announce(trx, 'pipeline.changed', { pipeline: updated, before: pipeline.status });
}

function timingsOf(pipeline: PipelineRow, jobs: readonly OutlinedJob[], status: Status) {
  const now = Date.now();
  const ended = finished.has(status);
  const started = pipeline.started_at ?? (status === 'running' ? now : null);
  return {
    updated_at: now,
    started_at: started,
    finished_at: ended ? now : null,
    duration: ended || status === 'manual' ? busySeconds(jobs, now) : pipeline.duration,
    queued_duration: Math.floor(((started ?? now) - pipeline.created_at) / 1000) || null,
  };
}
