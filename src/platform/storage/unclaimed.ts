import type { Database, Writer } from '../database/database.ts';
import { Unprocessable } from '../http/errors.ts';
import type { Queue } from '../queue/queue.ts';
import type { Expected, Storage, StoredFile } from './storage.ts';

declare module '../queue/job.ts' {
  interface JobPayloads {
    /** A file whose row may never have come, or has gone. */
    'storage.remove-unclaimed': { key: string };
  }
}

const kind = 'storage.remove-unclaimed';
/** Nothing takes so long to be stored and written down. */
const unclaimedAfterMs = 24 * 60 * 60_000;

interface Keeping {
  readonly db: Database;
  readonly queue: Queue;
  readonly storage: Storage;
}

/**
 * Stores a file under a key of its own, to be removed within a day unless the transaction that writes its row claims it:
 * a server that ends in between leaves nothing behind for ever. Nobody lists a storage to find out what is in it.
 */
export async function putUnclaimed(
  { db, queue, storage }: Keeping,
  key: string,
  body: AsyncIterable<Uint8Array>,
  expected?: Expected,
): Promise<StoredFile> {
  const options = { dedupeKey: key, runAt: Date.now() + unclaimedAfterMs };
  await db.write((trx) => queue.enqueue(trx, kind, { key }, options));
  return storage.put(key, body, expected);
}

/** To be called in the transaction in which the file gets its row. */
export async function claim({ queue }: Pick<Keeping, 'queue'>, trx: Writer, key: string): Promise<void> {
  if (!(await queue.withdraw(trx, kind, key))) throw new Unprocessable('Upload took too long');
}

/** Has a file removed once the transaction in which its row goes is over: a server that ends then does not leave it. */
export async function removeSoon({ queue }: Pick<Keeping, 'queue'>, trx: Writer, key: string): Promise<void> {
  await queue.enqueue(trx, kind, { key }, { dedupeKey: key });
}

export function removeUnclaimed({ queue, storage }: Pick<Keeping, 'queue' | 'storage'>): void {
  queue.defineJob(kind, ({ payload }) => storage.delete(payload.key));
}
