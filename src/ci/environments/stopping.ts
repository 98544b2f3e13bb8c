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

const atOnce = 100;

/**
 * Stops an environment: where its last deployment names a job that takes it down, and that job waits, the job is started and
 * the environment is stopped when it is done; otherwise at once. Without a user the job runs for whoever started its pipeline.
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
  const atOnce = force || (environment.state === 'available' && !job);
  // Whoever may not deploy there may not take it down: their job has failed, and the environment stays.
  const state = atOnce ? 'stopped' : job && job.status !== 'failed' ? 'stopping' : environment.state;
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

/** Has what was deployed from a branch taken down when the branch is gone. */
export async function followPush({ queue }: Services, trx: Writer, { projectId, userId, refs }: Push): Promise<void> {
  for (const { kind, name, new: tip } of refs) {
    if (kind !== 'branch' || tip !== null) continue;
    await queue.enqueue(trx, 'environments.branch-gone', { projectId, ref: name, userId });
  }
}

/** Stops the environments whose time is over, and those whose branch is gone. */
export function stoppingJobs(services: Services): void {
  services.queue.defineJob('environments.branch-gone', async ({ payload: { projectId, ref, userId } }) => {
    for (const id of await store.environmentsOfBranch(services.db.read, projectId, ref, atOnce)) {
      await services.db.write((trx) => stopEnvironment(services, trx, id, { userId }));
    }
  });
  services.queue.recurring('environments.stop-expired', { everyMs: 60_000 }, async () => {
    for (let found = atOnce; found === atOnce; ) {
      const due = await store.dueToStop(services.db.read, Date.now(), atOnce);
      for (const { id } of due) await services.db.write((trx) => stopEnvironment(services, trx, id, { userId: null }));
      found = due.length;
    }
  });
}
