import type { Database, Writer } from '../database/database.ts';
import { Unprocessable } from '../http/errors.ts';
import type { Queue } from '../queue/queue.ts';
import type { ExpectedFile, Storage, StoredFile } from './storage.ts';

declare module '../queue/job.ts' {
  interface JobPayloads {
    /** A file whose row may never have been written, or was deleted. */
    'storage.remove-unclaimed': { key: string };
  }
}

const kind = 'storage.remove-unclaimed';
/** Storing a file and writing its row never take this long. */
const unclaimedAfterMs = 24 * 60 * 60_000;

interface Dependencies {
  readonly db: Database;
  readonly queue: Queue;
  readonly storage: Storage;
}

/**
 * Stores a file under a unique key, and deletes it after a day unless the transaction that writes its row claims it: a
 * server that stops in between leaves no orphan. Storages are never listed to find orphans.
 */
export async function putUnclaimed(
  { db, queue, storage }: Dependencies,
  key: string,
  body: AsyncIterable<Uint8Array>,
  expected?: ExpectedFile,
): Promise<StoredFile> {
  const options = { dedupeKey: key, runAt: Date.now() + unclaimedAfterMs };
  await db.write((trx) => queue.enqueue(trx, kind, { key }, options));
  return storage.put(key, body, expected);
}

/** Must be called in the transaction that writes the file's row. */
export async function claimStoredFile({ queue }: Pick<Dependencies, 'queue'>, trx: Writer, key: string): Promise<void> {
  if (!(await queue.withdraw(trx, kind, key))) throw new Unprocessable('Upload took too long');
}

/** Deletes a file after the transaction that deletes its row has committed, even if the server stops in between. */
export async function removeAfterCommit(
  { queue }: Pick<Dependencies, 'queue'>,
  trx: Writer,
  key: string,
): Promise<void> {
  await queue.enqueue(trx, kind, { key }, { dedupeKey: key });
}

export function defineUnclaimedRemoval({ queue, storage }: Pick<Dependencies, 'queue' | 'storage'>): void {
  queue.defineJob(kind, ({ payload }) => storage.delete(payload.key));
}
