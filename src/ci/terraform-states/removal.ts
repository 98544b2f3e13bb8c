import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { filesAfter, keysInUse } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Files of states that are gone, or that may never have come to be. */
    'terraform-states.discard': { keys: readonly string[] };
  }
}

const atOnce = 200;
/** No state takes so long to be sent. */
const unkeptAfterMs = 24 * 60 * 60_000;

export async function discardSoon({ queue }: Services, trx: Writer, keys: readonly string[]): Promise<void> {
  await queue.enqueue(trx, 'terraform-states.discard', { keys });
}

/** To be called before a file is stored: it is removed later, unless by then a version has it. */
export async function promiseRemoval({ db, queue }: Services, key: string): Promise<void> {
  const options = { dedupeKey: key, runAt: Date.now() + unkeptAfterMs };
  await db.write((trx) => queue.enqueue(trx, 'terraform-states.discard', { keys: [key] }, options));
}

/** Takes that back, in the transaction in which the version comes into being; false where it is too late. */
export function takeBackRemoval({ queue }: Services, trx: Writer, key: string): Promise<boolean> {
  return queue.withdraw(trx, 'terraform-states.discard', key);
}

/** Has the files of a state, or of a whole project, removed once the rows are gone. */
export async function removeFilesOf(
  services: Services,
  trx: Writer,
  of: { readonly stateId: number } | { readonly projectId: number },
): Promise<void> {
  for (let last = 0; ; ) {
    const files = await filesAfter(trx, of, last, atOnce);
    if (files.length === 0) return;
    const keys = files.map(({ storage_key }) => storage_key);
    await discardSoon(services, trx, keys);
    last = files.at(-1)?.id ?? last;
  }
}

export function terraformJobs({ db, queue, storage }: Services): void {
  queue.defineJob('terraform-states.discard', async ({ payload: { keys } }) => {
    const kept = await keysInUse(db.read, keys);
    for (const key of keys) if (!kept.has(key)) await storage.delete(key);
  });
}
