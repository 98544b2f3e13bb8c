import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { filesAfter, keysInUse } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes files of removed versions, and files whose version was never committed. */
    'terraform-states.discard': { keys: readonly string[] };
  }
}

const batchSize = 200;
/** Uploads take less time than this. */
const removalDelayMs = 24 * 60 * 60_000;

export async function enqueueRemoval({ queue }: Services, trx: Writer, keys: readonly string[]): Promise<void> {
  await queue.enqueue(trx, 'terraform-states.discard', { keys });
}

/** Schedules the removal of a file before it is stored. The file is kept if a version refers to it by then. */
export async function scheduleRemoval({ db, queue }: Services, key: string): Promise<void> {
  const options = { dedupeKey: key, runAt: Date.now() + removalDelayMs };
  await db.write((trx) => queue.enqueue(trx, 'terraform-states.discard', { keys: [key] }, options));
}

/** Cancels the scheduled removal, in the transaction that inserts the version. Returns false if it has already run. */
export function cancelRemoval({ queue }: Services, trx: Writer, key: string): Promise<boolean> {
  return queue.withdraw(trx, 'terraform-states.discard', key);
}

/** Enqueues the removal of all files of a state or project, in the transaction that deletes the rows. */
export async function removeFilesOf(
  services: Services,
  trx: Writer,
  of: { readonly stateId: number } | { readonly projectId: number },
): Promise<void> {
  for (let last = 0; ; ) {
    const files = await filesAfter(trx, of, last, batchSize);
    if (files.length === 0) return;
    const keys = files.map(({ storage_key }) => storage_key);
    await enqueueRemoval(services, trx, keys);
    last = files.at(-1)?.id ?? last;
  }
}

export function terraformJobs({ db, queue, storage }: Services): void {
  queue.defineJob('terraform-states.discard', async ({ payload: { keys } }) => {
    const usedKeys = await keysInUse(db.read, keys);
    for (const key of keys) if (!usedKeys.has(key)) await storage.delete(key);
  });
}
