import { randomBytes } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { fault } from '../../../platform/faults.ts';
import { markQueued, noteSource } from '../store.ts';

/** A received message. Only the headers of an oversized one are stored. */
export interface StoredMessage {
  readonly id: number;
  readonly oversized: boolean;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'incoming-mail.process': StoredMessage;
  }
}

/** Source ID for a message handed over by a local program, which has no UID. */
export const handedOver = () => `handed over ${randomBytes(16).toString('hex')}`;

/**
 * Stores a message and enqueues the job that processes it. When this resolves, the source may delete the message. If it
 * fails, the source delivers the message again, and the retry reuses what is stored.
 */
export async function storeMessage(
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
