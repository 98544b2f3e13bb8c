import { deletionDelay } from '../../../access/application-settings/effective.ts';
import type { Services } from '../../../access/services.ts';
import { copyForkedRepository } from '../../../code/forks/copy.ts';
import { type HousekeepingTask, housekeepProject } from '../../../code/upkeep/housekeeping.ts';
import { refreshProject } from '../../../code/upkeep/refresh.ts';
import { discardAvatar } from '../../../people/avatars/public.ts';
import { discardUploads } from '../uploads/service.ts';
import { deleteProject } from './service.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** What is left of a project whose row is gone. */
    'projects.clear': { projectId: number; avatar: string | null };
    'projects.fork': { projectId: number; branches?: readonly string[] };
    'projects.housekeep': { projectId: number; task: HousekeepingTask };
    /** What a project's row tells of its repository. */
    'projects.refresh': { projectId: number };
  }
}

const hour = 60 * 60 * 1000;
const removedAtOnce = 20;

/** The background work of projects. */
export function projectJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('projects.clear', async ({ payload }) => {
    await services.git.remove(services.git.repository(payload.projectId));
    await discardAvatar(services, payload.avatar);
    await discardUploads(services);
  });
  queue.defineJob('projects.fork', (job) => copyForkedRepository(services, job), {
    timeoutMs: 2 * hour,
    maxAttempts: 5,
  });
  queue.defineJob('projects.housekeep', ({ payload, signal }) => housekeepProject(services, payload, signal), {
    timeoutMs: 2 * hour,
    concurrency: 1,
  });
  queue.defineJob('projects.refresh', ({ payload, signal }) => refreshProject(services, payload.projectId, signal));
  queue.recurring('projects.remove-marked', { everyMs: hour }, ({ signal }) => removeMarked(services, signal));
}

/** Removes the projects that have been marked for as long as they can be restored. */
async function removeMarked(services: Services, signal: AbortSignal): Promise<void> {
  const { db, config } = services;
  const delay = deletionDelay(config, await services.settings.read());
  for (;;) {
    const due = await db.read
      .selectFrom('projects')
      .selectAll()
      .where('marked_for_deletion_at', '<=', Date.now() - delay)
      .orderBy('marked_for_deletion_at')
      .limit(removedAtOnce)
      .execute();
    for (const project of due) {
      signal.throwIfAborted();
      await db.write((trx) => deleteProject(services, trx, project));
    }
    if (due.length < removedAtOnce) return;
  }
}
