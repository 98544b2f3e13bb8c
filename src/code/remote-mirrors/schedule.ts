import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Push } from '../pushes/public.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** `asked` is when: a run that began after that has done what this one was for. */
    'remote-mirrors.update': { mirrorId: number; asked: number };
  }
}

const minute = 60_000;

/** No run takes longer: it is ended, and counts as failed. */
export const longestRunMs = 190 * minute;

/** How far apart the runs of a mirror are. */
export function spacingOf({ only_protected_branches }: Pick<store.EnabledMirror, 'only_protected_branches'>): number {
  return only_protected_branches === 1 ? minute : 5 * minute;
}

/** When a run that a push asks for may begin: pushes in a row share one. */
export function dueAt(mirror: store.EnabledMirror, now: number): number {
  const { last_update_started_at: started } = mirror;
  return started === null ? now : Math.max(now, started + spacingOf(mirror));
}

/** Lets a mirror be pushed to. */
export async function enqueueUpdate({ queue }: Services, trx: Writer, mirrorId: number, runAt: number): Promise<void> {
  const payload = { mirrorId, asked: Date.now() };
  await queue.enqueue(trx, 'remote-mirrors.update', payload, { dedupeKey: `${mirrorId}`, runAt });
}

/** The same, for everybody to see. */
export async function scheduleUpdate(services: Services, trx: Writer, mirrorId: number, runAt: number): Promise<void> {
  await store.updateMirror(trx, mirrorId, { update_status: 'scheduled' });
  await enqueueUpdate(services, trx, mirrorId, runAt);
}

/** Lets every mirror of a project follow a push. */
export async function followPush(services: Services, trx: Writer, { projectId }: Push): Promise<void> {
  const now = Date.now();
  for (const mirror of await store.enabledMirrors(trx, projectId)) {
    const schedule = mirror.update_status === 'started' ? enqueueUpdate : scheduleUpdate;
    await schedule(services, trx, mirror.id, dueAt(mirror, now));
  }
}
