import type { Services } from '../../../access/services.ts';
import { deleteReceived, receivedBefore } from '../store.ts';

/** Retention of received messages, during which duplicates are detected. */
const retentionMs = 30 * 24 * 60 * 60 * 1000;
const atOnce = 200;

/** Deletes old received messages and their stored files, including those of jobs that failed permanently. */
export async function forgetOldMessages({ db, storage }: Services, now = Date.now()): Promise<void> {
  for (;;) {
    const old = await receivedBefore(db.read, now - retentionMs, atOnce);
    if (old.length === 0) return;
    for (const { file } of old) await storage.delete(file);
    await db.write((trx) =>
      deleteReceived(
        trx,
        old.map(({ id }) => id),
      ),
    );
  }
}
