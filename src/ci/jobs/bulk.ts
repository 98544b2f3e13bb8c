import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockPipeline } from '../pipelines/public.ts';
import { cancelable } from '../states/public.ts';
import { dependentJobs } from './dependents.ts';
import { isArchivedJob, needsOf, statusOf } from './job-row.ts';
import { processPipeline } from './processing.ts';
import { currentJobs, stopsGracefully, updateJob } from './store.ts';
import type { CiJobRow } from './tables.ts';
import { createRetry, moveJob, scheduleProcessing } from './transition.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A pipeline was canceled; its downstream pipelines are canceled as well. */
    'pipeline.canceled': { readonly pipelineId: number };
  }
}

/** Cancels all cancelable jobs of a pipeline. */
export async function cancelJobs(services: Services, trx: Writer, pipelineId: number): Promise<void> {
  await lockPipeline(trx, pipelineId);
  for (const job of await currentJobs(trx, pipelineId)) {
    if (cancelable.has(statusOf(job))) await cancelJob(services, trx, job);
  }
  await services.announce(trx, 'pipeline.canceled', { pipelineId });
  await processPipeline(services, trx, pipelineId);
}

/** Cancels a job. A running one stops gracefully if its runner supports that. */
export async function cancelJob(services: Services, trx: Writer, job: CiJobRow): Promise<CiJobRow | undefined> {
  const graceful = job.status === 'running' && (await stopsGracefully(trx, job.runner_manager_id));
  return moveJob(services, trx, job.id, 'cancel', { facts: { graceful } });
}

const retriedStates: ReadonlySet<string> = new Set(['failed', 'canceled', 'canceling']);

/**
 * Retries failed and canceled jobs, and resets the jobs that were skipped because of them. Manual jobs become manual
 * again, and delayed jobs wait again.
 */
export async function retryJobs(services: Services, trx: Writer, pipelineId: number, userId: number): Promise<void> {
  await lockPipeline(trx, pipelineId);
  const jobs = await currentJobs(trx, pipelineId);
  const failed = jobs.filter(
    (job) => job.kind === 'build' && retriedStates.has(job.status) && !isArchivedJob(services, job),
  );
  for (const job of failed) await createRetry(services, trx, job, userId, false);
  if (failed.length > 0) await resetSkippedDependents(services, trx, jobs, failed, userId);
  await processPipeline(services, trx, pipelineId);
}

/** Resets the jobs that were skipped because of these jobs; they now run as the given user, or else as before. */
export async function resetSkippedDependents(
  services: Services,
  trx: Writer,
  jobs: readonly CiJobRow[],
  first: readonly CiJobRow[],
  userId?: number,
): Promise<void> {
  const change = userId === undefined ? {} : { user_id: userId };
  const nodeOf = (job: CiJobRow) => ({ job, name: job.name, stageIndex: job.stage_index, needs: needsOf(job) });
  const skipped = jobs.filter(({ status }) => status === 'skipped').map(nodeOf);
  for (const { job } of dependentJobs(skipped, first.map(nodeOf))) {
    await moveJob(services, trx, job.id, 'process', { change });
  }
}

/** Sets a bridge to the status of its pipeline and, unless skipped, resets the jobs that were skipped because of it. */
export async function mirrorBridge(
  services: Services,
  trx: Writer,
  bridge: CiJobRow,
  status: 'running' | 'skipped' | 'manual',
): Promise<void> {
  await lockPipeline(trx, bridge.pipeline_id);
  const now = Date.now();
  const finished_at = status === 'skipped' ? now : null;
  const job = await updateJob(trx, bridge.id, { status, finished_at, failure_reason: null, updated_at: now });
  await services.announce(trx, 'job.changed', { job, before: statusOf(bridge) });
  if (status !== 'skipped')
    await resetSkippedDependents(services, trx, await currentJobs(trx, bridge.pipeline_id), [job]);
  await scheduleProcessing(services, trx, bridge.pipeline_id);
}
