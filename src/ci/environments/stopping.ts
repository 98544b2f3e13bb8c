import type { Services } from '../../access/services.ts';
import type { Push } from '../../code/pushes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type CiJobRow, jobById, startJob } from '../jobs/public.ts';
import * as store from './store.ts';
import type { EnvironmentRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'environments.branch-gone': { projectId: number; ref: string; userId: number | null };
  }
}

const batchSize = 100;

/**
 * Stops an environment. If its last deployment has an `on_stop` job that is manual, starts that job, and the
 * environment is stopped when it succeeds; otherwise stops it immediately. Without a user, the job runs as the user of
 * its pipeline.
 */
export async function stopEnvironment(
  services: Services,
  trx: Writer,
  id: number,
  { userId, force = false }: { readonly userId: number | null; readonly force?: boolean },
): Promise<EnvironmentRow | undefined> {
  const environment = await store.lockEnvironment(trx, id);
  if (!environment || environment.state === 'stopped') return environment;
  const job = !force && environment.state === 'available' ? await startStopJob(services, trx, id, userId) : undefined;
  const immediately = force || (environment.state === 'available' && !job);
  // Users who may not deploy cannot stop it either: their job failed, and the environment keeps its state.
  const state = immediately ? 'stopped' : job && job.status !== 'failed' ? 'stopping' : environment.state;
  return store.updateEnvironment(trx, id, { state, auto_stop_at: null, updated_at: Date.now() });
}

async function startStopJob(
  services: Services,
  trx: Writer,
  environmentId: number,
  userId: number | null,
): Promise<CiJobRow | undefined> {
  const last = await store.lastDeployment(trx, environmentId);
  const deployed = last?.on_stop && last.job_id !== null ? await jobById(trx, last.job_id) : undefined;
  const stopping =
    deployed && last?.on_stop ? await store.jobNamed(trx, deployed.pipeline_id, last.on_stop) : undefined;
  if (stopping?.status !== 'manual') return undefined;
  return startJob(services, trx, stopping.id, userId === null ? {} : { user_id: userId });
}

/** Schedules stopping the environments of deleted branches. */
export async function followPush({ queue }: Services, trx: Writer, { projectId, userId, refs }: Push): Promise<void> {
  for (const { kind, name, new: tip } of refs) {
    if (kind !== 'branch' || tip !== null) continue;
    await queue.enqueue(trx, 'environments.branch-gone', { projectId, ref: name, userId });
  }
}

/** Defines the jobs that stop expired environments and those of deleted branches. */
export function stoppingJobs(services: Services): void {
  services.queue.defineJob('environments.branch-gone', async ({ payload: { projectId, ref, userId } }) => {
    for (const id of await store.environmentsOfBranch(services.db.read, projectId, ref, batchSize)) {
      await services.db.write((trx) => stopEnvironment(services, trx, id, { userId }));
    }
  });
  services.queue.recurring('environments.stop-expired', { everyMs: 60_000 }, async () => {
    for (let found = batchSize; found === batchSize; ) {
      const due = await store.dueToStop(services.db.read, Date.now(), batchSize);
      for (const { id } of due) await services.db.write((trx) => stopEnvironment(services, trx, id, { userId: null }));
      found = due.length;
    }
  });
}
