import type { Services } from '../../../access/services.ts';
import { deleteReceived, receivedBefore } from '../store.ts';

/** So long it is known that a message came before. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
const atOnce = 200;

/** Forgets what came long ago, and removes what may be left of it: that of jobs that failed for good, too. */
export async function forgetOldMessages({ db, storage }: Services, now = Date.now()): Promise<void> {
  for (;;) {
    const old = await receivedBefore(db.read, now - keptMs, atOnce);
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
