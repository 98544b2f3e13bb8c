import { deletionDelay } from '../../../access/application-settings/effective.ts';
import type { Services } from '../../../access/services.ts';
import { discardAvatar } from '../../../people/avatars/public.ts';
import { removeInactive } from '../inactivity/sweep.ts';
import { discardUploads } from '../uploads/service.ts';
import { deleteProject } from './service.ts';
import { dueForDeletion } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes the files of a project whose row is deleted. */
    'projects.clear': { projectId: number; avatar: string | null };
  }
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const removedAtOnce = 20;

/** Deletes the files of deleted projects, and the projects whose deletion delay has passed. */
export function removalJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('projects.clear', async ({ payload }) => {
    await services.git.remove(services.git.repository(payload.projectId));
    await discardAvatar(services, payload.avatar);
    await discardUploads(services);
  });
  queue.recurring('projects.remove-marked', { everyMs: hour }, ({ signal }) => removeMarked(services, signal));
  queue.recurring('projects.remove-inactive', { everyMs: day }, ({ signal }) => removeInactive(services, signal));
}

/** Deletes the projects whose deletion delay has passed. */
async function removeMarked(services: Services, signal: AbortSignal): Promise<void> {
  const { db, config } = services;
  const delay = deletionDelay(config, await services.settings.read());
  for (;;) {
    const due = await dueForDeletion(db.read, Date.now() - delay, removedAtOnce);
    for (const project of due) {
      signal.throwIfAborted();
      await db.write((trx) => deleteProject(services, trx, project));
    }
    if (due.length < removedAtOnce) return;
  }
}
