import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Push } from '../pushes/public.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** `asked` is the time of the request: a run started later has already covered it. */
    'remote-mirrors.update': { mirrorId: number; asked: number };
  }
}

const minute = 60_000;

/** Maximum duration of a run, after which it is aborted and fails. */
export const maxRunMs = 190 * minute;

/** Minimum interval between two runs of a mirror. */
export function minIntervalOf({
  only_protected_branches,
}: Pick<store.EnabledMirror, 'only_protected_branches'>): number {
  return only_protected_branches === 1 ? minute : 5 * minute;
}

/** The time of the next run after a push. Successive pushes share a run. */
export function dueAt(mirror: store.EnabledMirror, now: number): number {
  const { last_update_started_at: started } = mirror;
  return started === null ? now : Math.max(now, started + minIntervalOf(mirror));
}

/** Queues an update of a mirror. */
export async function enqueueUpdate({ queue }: Services, trx: Writer, mirrorId: number, runAt: number): Promise<void> {
  const payload = { mirrorId, asked: Date.now() };
  await queue.enqueue(trx, 'remote-mirrors.update', payload, { dedupeKey: `${mirrorId}`, runAt });
}

/** Queues an update and sets the status to `scheduled`. */
export async function scheduleUpdate(services: Services, trx: Writer, mirrorId: number, runAt: number): Promise<void> {
  await store.updateMirror(trx, mirrorId, { update_status: 'scheduled' });
  await enqueueUpdate(services, trx, mirrorId, runAt);
}

/** Schedules an update of every enabled mirror after a push. */
export async function scheduleAfterPush(services: Services, trx: Writer, { projectId }: Push): Promise<void> {
  const now = Date.now();
  for (const mirror of await store.enabledMirrors(trx, projectId)) {
    const schedule = mirror.update_status === 'started' ? enqueueUpdate : scheduleUpdate;
    await schedule(services, trx, mirror.id, dueAt(mirror, now));
  }
}
