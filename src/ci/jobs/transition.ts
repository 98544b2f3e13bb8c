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
import { anotherAttempt, plannedJob, statusOf } from './job-row.ts';
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
    /** A job of a pipeline, or a bridge, has got another state. */
    'job.changed': { readonly job: CiJobRow; readonly before: Status };
  }
  interface Contributions {
    /** Whether a job may be started for somebody, where it is meant to run. */
    'jobs.clearance': (services: Services, db: Reader, job: CiJobRow, userId: number | null) => Promise<Clearance>;
  }
}

/** A job that `asks` has to wait for others to agree from now on; one that `waits` does so already. */
export type Clearance = 'free' | 'refused' | 'asks' | 'waits';

/** The first word against starting a job for somebody. */
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

/** What comes with an event. */
export interface TransitionOptions {
  readonly facts?: TransitionFacts;
  /** Why it failed; `unknown_failure` where nobody says. */
  readonly failureReason?: string;
  readonly exitCode?: number | null;
  /** Further columns that change with the state: the runner, a token, the user who played it. */
  readonly change?: JobChange;
}

/**
 * Does what an event means for a job: locks it, moves it on, tells who listens, and has its pipeline looked after. The job
 * as it is then, or undefined where it is gone or the event does not apply to its state.
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

/** As `transitionJob`, for whoever processes the pipeline in the same transaction. */
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
  const starts = event === 'enqueue' || event === 'enqueue_scheduled';
  if (starts) {
    const clearance = await clearanceOf(services, trx, job, options.change?.user_id ?? job.user_id);
    if (clearance !== 'free') return holdBack(services, trx, job, clearance);
  }
  const resourceGroup = starts && plannedJob(job).resourceGroup !== null;
  const after = transition(before, event, { resourceGroup, ...options.facts });
  if (after === null) return undefined;
  const row = await updateJob(trx, jobId, {
    ...stampsOf(job, after),
    ...failureOf(job, after, options),
    ...options.change,
  });
  await services.announce(trx, 'job.changed', { job: row, before });
  if (after === 'failed') await retryByItself(services, trx, row);
  return row;
}

/** Ends a job that may not be started, or has it wait for a hand until others agree. */
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
  // It waits for a hand already, and now for others as well.
  await services.announce(trx, 'job.changed', { job, before: statusOf(job) });
  return job;
}

/** Has the state of a pipeline worked out, and what may start now started, soon after the transaction. */
export async function scheduleProcessing({ queue }: Services, trx: Writer, pipelineId: number): Promise<void> {
  await queue.enqueue(trx, 'ci.process-pipeline', { pipelineId }, { dedupeKey: `${pipelineId}`, priority: 1 });
}

function stampsOf(job: CiJobRow, status: Status): JobChange {
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

function failureOf(job: CiJobRow, status: Status, { failureReason, exitCode = null }: TransitionOptions): JobChange {
  if (status !== 'failed') return exitCode === null ? {} : { exit_code: exitCode };
  const allowed = allowsFailure(job.allow_failure === 1, plannedJob(job).allowFailureExitCodes, exitCode);
  return {
    failure_reason: failureReason ?? 'unknown_failure',
    exit_code: exitCode,
    allow_failure: allowed ? 1 : 0,
  };
}

async function retryByItself(services: Services, trx: Writer, job: CiJobRow): Promise<void> {
  const reason = job.failure_reason ?? 'unknown_failure';
  const failure = { reason, exitCode: job.exit_code, retries: await countRetries(trx, job) };
  if (retriesAutomatically(plannedJob(job).retry, failure)) await attemptAgain(services, trx, job, job.user_id);
}

/** Puts another attempt in the place of a job. */
export async function attemptAgain(
  services: Services,
  trx: Writer,
  job: CiJobRow,
  userId: number | null,
): Promise<CiJobRow> {
  await updateJob(trx, job.id, { retried: 1 });
  const again = await insertJob(trx, anotherAttempt(job, userId, Date.now()));
  await scheduleProcessing(services, trx, job.pipeline_id);
  return again;
}
