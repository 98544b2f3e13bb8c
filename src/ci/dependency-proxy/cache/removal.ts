import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { removeSoon } from '../../../platform/storage/unclaimed.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'dependency-proxy.purge': { readonly groupId: number; readonly before: number };
    'dependency-proxy.remove-loose': Record<string, never>;
  }
}

const day = 24 * 60 * 60 * 1000;
const atOnce = 200;

/** Has everything removed that a group keeps by now. */
export async function purge({ db, queue }: Services, { group }: GroupSubject): Promise<void> {
  const job = { groupId: group.id, before: Date.now() + 1 };
  await db.write((trx) => queue.enqueue(trx, 'dependency-proxy.purge', job, { dedupeKey: `${group.id}` }));
}

/** A group takes its images along; their files are removed after. */
export async function removeWithGroup({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'dependency-proxy.remove-loose', {}, { dedupeKey: 'all' });
}

/** Removes what a group keeps and was last pulled before an instant. */
async function removeBefore({ db }: Services, groupId: number, before: number, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await db.write((trx) => store.deleteManifests(trx, groupId, before, atOnce))) > 0);
  if (!signal?.aborted) await db.write((trx) => store.loosenBlobs(trx, groupId, before));
}

/** Removes the blobs that no group has, with their files. */
async function removeLoose(services: Services, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const removed = await services.db.write(async (trx) => {
      const keys = await store.deleteLooseBlobs(trx, atOnce);
      for (const key of keys) await removeSoon(services, trx, key);
      return keys.length;
    });
    if (removed < atOnce) return;
  }
}

/** Removes what nobody has pulled for as long as its group wants. */
export async function removeExpired(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  for (let last = 0; !signal?.aborted; ) {
    const groups = await store.groupsWithTtl(services.db.read, last, atOnce);
    for (const { group_id, ttl } of groups) {
      await removeBefore(services, group_id, now - ttl * day, signal);
      last = group_id;
    }
    if (groups.length < atOnce) break;
  }
  await removeLoose(services, signal);
}

export function removalJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('dependency-proxy.purge', async ({ payload: { groupId, before }, signal }) => {
    await removeBefore(services, groupId, before, signal);
    await removeLoose(services, signal);
  });
  queue.defineJob('dependency-proxy.remove-loose', ({ signal }) => removeLoose(services, signal), { concurrency: 1 });
  queue.recurring('expire-dependency-proxy', { minute: 47, hour: 3 }, ({ signal }) => removeExpired(services, signal));
}
