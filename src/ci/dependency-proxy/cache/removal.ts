import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { removeAfterCommit } from '../../../platform/storage/unclaimed.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'dependency-proxy.purge': { readonly groupId: number; readonly before: number };
    'dependency-proxy.remove-loose': Record<string, never>;
  }
}

const day = 24 * 60 * 60 * 1000;
const batchSize = 200;

/** Schedules the removal of everything a group has cached so far. */
export async function enqueuePurge({ db, queue }: Services, { group }: GroupSubject): Promise<void> {
  const job = { groupId: group.id, before: Date.now() + 1 };
  await db.write((trx) => queue.enqueue(trx, 'dependency-proxy.purge', job, { dedupeKey: `${group.id}` }));
}

/** Deleting a group detaches its blobs; their files are removed afterwards. */
export async function removeWithGroup({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'dependency-proxy.remove-loose', {}, { dedupeKey: 'all' });
}

/** Removes the cached manifests and detaches the blobs of a group that were last pulled before an instant. */
async function removeUnusedSince(
  { db }: Services,
  groupId: number,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await db.write((trx) => store.deleteManifests(trx, groupId, before, batchSize))) > 0);
  if (!signal?.aborted) await db.write((trx) => store.detachBlobs(trx, groupId, before));
}

/** Deletes blobs that belong to no group, and their files. */
async function removeDetached(services: Services, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const removed = await services.db.write(async (trx) => {
      const keys = await store.deleteDetachedBlobs(trx, batchSize);
      for (const key of keys) await removeAfterCommit(services, trx, key);
      return keys.length;
    });
    if (removed < batchSize) return;
  }
}

/** Removes cache entries that have not been pulled within the TTL of their group. */
export async function removeExpired(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  for (let last = 0; !signal?.aborted; ) {
    const groups = await store.groupsWithTtl(services.db.read, last, batchSize);
    for (const { group_id, ttl } of groups) {
      await removeUnusedSince(services, group_id, now - ttl * day, signal);
      last = group_id;
    }
    if (groups.length < batchSize) break;
  }
  await removeDetached(services, signal);
}

export function removalJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('dependency-proxy.purge', async ({ payload: { groupId, before }, signal }) => {
    await removeUnusedSince(services, groupId, before, signal);
    await removeDetached(services, signal);
  });
  queue.defineJob('dependency-proxy.remove-loose', ({ signal }) => removeDetached(services, signal), {
    concurrency: 1,
  });
  queue.recurring('expire-dependency-proxy', { minute: 47, hour: 3 }, ({ signal }) => removeExpired(services, signal));
}
