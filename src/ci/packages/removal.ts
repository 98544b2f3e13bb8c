import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { releaseWithout } from './debian/indexes/refresh.ts';
import { deleteIndexes } from './debian/indexes/store.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'packages.delete-files': Record<string, never>;
  }
}

const batchSize = 200;

/** Enqueues the removal of files whose rows were deleted, for after the transaction. */
export async function removeFilesSoon({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'packages.delete-files', {}, { dedupeKey: 'all' });
}

/** Removes the packages of a deleted project. */
export async function removeWithProject(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
): Promise<void> {
  await releaseWithout(services, trx, { projectId: project.id });
  await store.deleteFiles(trx, { projectId: project.id });
  await deleteIndexes(trx, { projectId: project.id });
  await removeFilesSoon(services, trx);
}

/** Removes the Debian indexes of a deleted group. */
export async function removeWithGroup(
  services: Services,
  trx: Writer,
  { group }: { readonly group: { readonly id: number } },
): Promise<void> {
  await deleteIndexes(trx, { groupId: group.id });
  await removeFilesSoon(services, trx);
}

/** Removes the files that are due. */
export async function removeDueFiles({ db, storage }: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  while (!signal?.aborted) {
    const keys = await store.filesToDelete(db.read, now, batchSize);
    if (keys.length === 0) return;
    for (const key of keys) await storage.delete(key);
    await db.write((trx) => store.forgetFiles(trx, keys));
  }
}

export function packageJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('packages.delete-files', ({ signal }) => removeDueFiles(services, signal), { concurrency: 1 });
  queue.recurring('sweep-packages', { minute: 23, hour: 4 }, ({ signal }) => removeDueFiles(services, signal));
}
