import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A reviewer submitted a review by quick action. */
    'merge-requests.submit-review': { id: number; userId: number };
  }
}

/** Enqueues the publication of a review after the note with the quick action has been stored. */
export async function enqueueSubmit({ queue }: Services, trx: Writer, id: number, userId: number): Promise<void> {
  await queue.enqueue(trx, 'merge-requests.submit-review', { id, userId }, { dedupeKey: `${id} ${userId}` });
}
