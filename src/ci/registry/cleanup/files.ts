import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import * as store from '../distribution/store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'registry.delete-files': Record<string, never>;
  }
}

const batchSize = 200;

/** Enqueues the removal of files that are due, for after the transaction. */
export async function removeFilesSoon({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'registry.delete-files', {}, { dedupeKey: 'all' });
}

/** Removes the files that are due. */
export async function removeDueFiles({ db, storage }: Services, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const keys = await store.dueFiles(db.read, Date.now(), batchSize);
    if (keys.length === 0) return;
    for (const key of keys) await storage.delete(key);
    await db.write((trx) => store.forgetFiles(trx, keys));
  }
}

export function fileJobs(services: Services): void {
  services.queue.defineJob('registry.delete-files', ({ signal }) => removeDueFiles(services, signal), {
    concurrency: 1,
  });
}
