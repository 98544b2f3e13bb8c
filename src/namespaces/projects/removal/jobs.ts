import { deletionDelay } from '../../../access/application-settings/effective.ts';
import type { Services } from '../../../access/services.ts';
import { discardAvatar } from '../../../people/avatars/public.ts';
import { removeInactive } from '../inactivity/sweep.ts';
import { discardUploads } from '../uploads/service.ts';
import { deleteProject } from './service.ts';
import { markedUntil } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** What is left of a project whose row is gone. */
    'projects.clear': { projectId: number; avatar: string | null };
  }
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const removedAtOnce = 20;

/** Removes what lies on disk of projects that are gone, and the projects whose time to be restored is over. */
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

/** Removes the projects that have been marked for as long as they can be restored. */
async function removeMarked(services: Services, signal: AbortSignal): Promise<void> {
  const { db, config } = services;
  const delay = deletionDelay(config, await services.settings.read());
  for (;;) {
    const due = await markedUntil(db.read, Date.now() - delay, removedAtOnce);
    for (const project of due) {
      signal.throwIfAborted();
      await db.write((trx) => deleteProject(services, trx, project));
    }
    if (due.length < removedAtOnce) return;
  }
}
