import type { Services } from '../../access/services.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import {
  allowsFailure,
  finished,
  type JobEvent,
  retriesAutomatically,
  type Status,
  type TransitionFacts,
  transition,
} from '../states/public.ts';
import { newAttempt, plannedJob, statusOf } from './job-row.ts';
import { countRetries, insertJob, type JobChange, lockJob, updateJob } from './store.ts';
import type { CiJobRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.process-pipeline': { pipelineId: number };
    'ci.start-delayed-job': { jobId: number };
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The status of a job or bridge changed. */
    'job.changed': { readonly job: CiJobRow; readonly before: Status };
    /** A new attempt of a job was created. */
    'job.retried': { readonly job: CiJobRow };
  }
  interface Contributions {
    /** Whether a user may start a job in its environment. */
    'jobs.clearance': (services: Services, db: Reader, job: CiJobRow, userId: number | null) => Promise<Clearance>;
  }
}

/** `asks`: the job must wait for approvals from now on; `waits`: it is already waiting for them. */
export type Clearance = 'free' | 'refused' | 'asks' | 'waits';

/** The first objection to starting a job for a user, or `free`. */
export async function clearanceOf(
  services: Services,
  db: Reader,
  job: CiJobRow,
  userId: number | null,
): Promise<Clearance> {
  for (const ask of services.contributions('jobs.clearance')) {
    const clearance = await ask(services, db, job, userId);
    if (clearance !== 'free') return clearance;
  }
  return 'free';
}

/** Details of a transition. */
export interface TransitionOptions {
  readonly facts?: TransitionFacts;
  /** Failure reason; defaults to `unknown_failure`. */
  readonly failureReason?: string;
  readonly exitCode?: number | null;
  /** Additional column changes, such as the runner, the token or the user who played the job. */
  readonly change?: JobChange;
}

/**
 * Applies an event to a job: locks it, updates its status, announces the change and schedules processing of its
 * pipeline. Returns the job, or undefined when it does not exist or the event does not apply to its status.
 */
export async function transitionJob(
  services: Services,
  trx: Writer,
  jobId: number,
  event: JobEvent,
  options: TransitionOptions = {},
): Promise<CiJobRow | undefined> {
  const moved = await moveJob(services, trx, jobId, event, options);
  if (moved) await scheduleProcessing(services, trx, moved.pipeline_id);
  return moved;
}

/** Like `transitionJob`, for callers that process the pipeline in the same transaction. */
export async function moveJob(
  services: Services,
  trx: Writer,
  jobId: number,
  event: JobEvent,
  options: TransitionOptions = {},
): Promise<CiJobRow | undefined> {
  const job = await lockJob(trx, jobId);
  if (!job) return undefined;
  const before = statusOf(job);
  const starting = event === 'enqueue' || event === 'enqueue_scheduled';
  if (starting) {
    const clearance = await clearanceOf(services, trx, job, options.change?.user_id ?? job.user_id);
    if (clearance !== 'free') return holdBack(services, trx, job, clearance);
  }
  const resourceGroup = starting && plannedJob(job).resourceGroup !== null;
  const after = transition(before, event, { resourceGroup, ...options.facts });
  if (after === null) return undefined;
  const row = await updateJob(trx, jobId, {
    ...timestampsFor(job, after),
    ...failureFields(job, after, options),
    ...options.change,
  });
  await services.announce(trx, 'job.changed', { job: row, before });
  if (after === 'failed') await retryAutomatically(services, trx, row);
  return row;
}

/** Fails a job that must not be started, or makes it manual until it is approved. */
async function holdBack(
  services: Services,
  trx: Writer,
  job: CiJobRow,
  clearance: Exclude<Clearance, 'free'>,
): Promise<CiJobRow | undefined> {
  if (clearance === 'refused') {
    return transitionJob(services, trx, job.id, 'drop', { failureReason: 'protected_environment_failure' });
  }
  if (job.status === 'created') return moveJob(services, trx, job.id, 'actionize');
  if (job.status === 'scheduled') return moveJob(services, trx, job.id, 'unschedule');
  if (clearance === 'waits') return undefined;
  // The job is manual already and now needs approvals as well.
  await services.announce(trx, 'job.changed', { job, before: statusOf(job) });
  return job;
}

/** Schedules processing of a pipeline after the transaction. */
export async function scheduleProcessing({ queue }: Services, trx: Writer, pipelineId: number): Promise<void> {
  await queue.enqueue(trx, 'ci.process-pipeline', { pipelineId }, { dedupeKey: `${pipelineId}`, priority: 1 });
}

function timestampsFor(job: CiJobRow, status: Status): JobChange {
  const now = Date.now();
  const started = status === 'running' || (job.kind === 'bridge' && status === 'pending');
  return {
    status,
    updated_at: now,
    ...(status === 'pending' ? { queued_at: now } : {}),
    ...(started && job.started_at === null ? { started_at: now } : {}),
    ...(finished.has(status) ? { finished_at: now } : {}),
    ...(status === 'scheduled' ? {} : { scheduled_at: null }),
  };
}

function failureFields(
  job: CiJobRow,
  status: Status,
  { failureReason, exitCode = null }: TransitionOptions,
): JobChange {
  if (status !== 'failed') return exitCode === null ? {} : { exit_code: exitCode };
  const allowed = allowsFailure(job.allow_failure === 1, plannedJob(job).allowFailureExitCodes, exitCode);
  return {
    failure_reason: failureReason ?? 'unknown_failure',
    exit_code: exitCode,
    allow_failure: allowed ? 1 : 0,
  };
}

async function retryAutomatically(services: Services, trx: Writer, job: CiJobRow): Promise<void> {
  const reason = job.failure_reason ?? 'unknown_failure';
  const failure = { reason, exitCode: job.exit_code, retries: await countRetries(trx, job) };
  if (retriesAutomatically(plannedJob(job).retry, failure)) await createRetry(services, trx, job, job.user_id, true);
}

/**
 * Creates a new attempt of a job and marks the old one as retried. The attempt starts when its turn comes, in case of a
 * manual or delayed job without waiting for it to be played or for its delay if `atOnce` is set.
 */
export async function createRetry(
  services: Services,
  trx: Writer,
  job: CiJobRow,
  userId: number | null,
  atOnce: boolean,
): Promise<CiJobRow> {
  await updateJob(trx, job.id, { retried: 1 });
  const attempt = await insertJob(trx, newAttempt(job, userId, atOnce));
  await services.announce(trx, 'job.retried', { job: attempt });
  await scheduleProcessing(services, trx, job.pipeline_id);
  return attempt;
}
