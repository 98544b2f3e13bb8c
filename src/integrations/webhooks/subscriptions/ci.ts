import type { Services } from '../../../access/services.ts';
import { type CiJobRow, currentJobs, jobById } from '../../../ci/jobs/public.ts';
import { type PipelineRow, pipelinesById } from '../../../ci/pipelines/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import type { Job, Queue } from '../../../platform/queue/queue.ts';
import { hasHooks, triggerHooks } from '../deliveries/trigger.ts';
import { jobPayload, pipelinePayload } from '../payloads/ci.ts';
import { locateProject } from '../payloads/parts.ts';

/** A pipeline or job and its state at the time of the event; it may have changed before the delivery. */
type Moved =
  | { readonly kind: 'pipeline'; readonly id: number; readonly at: Pick<PipelineRow, PipelineMoment> }
  | { readonly kind: 'job'; readonly id: number; readonly at: Pick<CiJobRow, JobMoment> };
type PipelineMoment = 'status' | 'started_at' | 'finished_at' | 'duration' | 'queued_duration';
type JobMoment = 'status' | 'queued_at' | 'started_at' | 'finished_at' | 'failure_reason' | 'runner_id' | 'user_id';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'webhooks.ci': Moved;
  }
}

export async function onPipeline(
  { queue }: Services,
  trx: Writer,
  { pipeline, before }: DomainEvents['pipeline.changed'],
): Promise<void> {
  const place = { projectId: pipeline.project_id };
  if (pipeline.status === before || !(await hasHooks(trx, place, ['pipeline_events']))) return;
  const { id, status, started_at, finished_at, duration, queued_duration } = pipeline;
  const at = { status, started_at, finished_at, duration, queued_duration };
  await queue.enqueue(trx, 'webhooks.ci', { kind: 'pipeline', id, at });
}

/** A new pipeline has many jobs at once: its hooks are looked up once, and its jobs only if there are any. */
export async function onPipelinePlanned(
  { queue }: Services,
  trx: Writer,
  { pipeline }: DomainEvents['pipeline.planned'],
): Promise<void> {
  if (!(await hasHooks(trx, { projectId: pipeline.project_id }, ['job_events']))) return;
  for (const job of await currentJobs(trx, pipeline.id)) await enqueueJob(queue, trx, job);
}

export async function onJob({ queue }: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  if (await hasHooks(trx, { projectId: job.project_id }, ['job_events'])) await enqueueJob(queue, trx, job);
}

async function enqueueJob(queue: Queue, trx: Writer, job: CiJobRow): Promise<void> {
  if (job.kind !== 'build') return;
  const { id, status, queued_at, started_at, finished_at, failure_reason, runner_id, user_id } = job;
  const at = { status, queued_at, started_at, finished_at, failure_reason, runner_id, user_id };
  await queue.enqueue(trx, 'webhooks.ci', { kind: 'job', id, at });
}

export function ciJobs(services: Services): void {
  services.queue.defineJob('webhooks.ci', (job) => triggerStateChange(services, job), {
    maxAttempts: 5,
    timeoutMs: 60_000,
  });
}

async function triggerStateChange(services: Services, job: Job<Moved>): Promise<void> {
  const { db } = services;
  const moved = job.payload;
  const row = moved.kind === 'job' ? await jobById(db.read, moved.id) : undefined;
  const pipelineId = moved.kind === 'job' ? row?.pipeline_id : moved.id;
  const [pipeline] = pipelineId === undefined ? [] : await pipelinesById(db.read, [pipelineId]);
  const located = pipeline && (await locateProject(db.read, pipeline.project_id));
  if (!located) return;
  const place = { projectId: pipeline.project_id };
  const payload =
    moved.kind === 'job' && row
      ? await jobPayload(services, located, { ...row, ...moved.at }, pipeline)
      : await pipelinePayload(services, located, { ...pipeline, ...moved.at } as PipelineRow);
  const name = moved.kind === 'job' ? 'job_events' : 'pipeline_events';
  await db.write(async (trx) => {
    await triggerHooks(services, trx, place, name, () => payload);
    await job.finish(trx);
  });
}
