import { randomBytes } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { fault } from '../../../platform/faults.ts';
import { markQueued, noteSource } from '../store.ts';

/** A message that was taken; of an oversized one there is the beginning alone. */
export interface Taken {
  readonly id: number;
  readonly oversized: boolean;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'incoming-mail.process': Taken;
  }
}

/** A message that a program on this machine hands over has no number of its own. */
export const handedOver = () => `handed over ${randomBytes(16).toString('hex')}`;

/**
 * Keeps a message and the job that sees to it. Whoever brought it may forget it once this resolves; where it fails, the
 * same source brings it again, and nothing of the first time is in the way.
 */
export async function takeMessage(
  { db, storage, queue }: Services,
  { source, raw, oversized }: { readonly source: string; readonly raw: Uint8Array; readonly oversized: boolean },
): Promise<void> {
  const file = `incoming-mail/${randomBytes(16).toString('hex')}`;
  const row = await db.write((trx) => noteSource(trx, source, file, Date.now()));
  if (row.queued === 1) return;
  await storage.put(row.file, once(raw), { expectedSize: raw.length });
  fault('incoming-mail.kept');
  await db.write(async (trx) => {
    if (await markQueued(trx, row.id)) await queue.enqueue(trx, 'incoming-mail.process', { id: row.id, oversized });
  });
  fault('incoming-mail.queued');
}

async function* once(raw: Uint8Array) {
  yield raw;
}
