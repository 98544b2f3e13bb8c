import type { Services } from '../../../access/services.ts';
import { discardAvatar } from '../../../people/avatars/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes the files of metric images that no longer belong to an issue. */
    'issues.discard-metric-images': Record<string, never>;
  }
}

/** Enqueues the deletion of orphaned files after the transaction commits. */
export async function enqueueFileRemoval({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'issues.discard-metric-images', {}, { dedupeKey: 'all' });
}

/** Detaches the metric images of a deleted issue. */
export async function removeWithIssue(
  services: Services,
  trx: Writer,
  { issue }: { readonly issue: { readonly id: number } },
): Promise<void> {
  if ((await store.detachImages(trx, issue.id)) > 0) await enqueueFileRemoval(services, trx);
}

const atOnce = 100;

export function metricImageJobs(services: Services): void {
  services.queue.defineJob('issues.discard-metric-images', async () => {
    for (;;) {
      const left = await store.orphanedImages(services.db.read, atOnce);
      if (left.length === 0) return;
      for (const { file } of left) await discardAvatar(services, file);
      const ids = left.map(({ id }) => id);
      await services.db.write((trx) => store.deleteImages(trx, ids));
    }
  });
}
