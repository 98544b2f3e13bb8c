import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A reviewer has said by a command that their review is done. */
    'merge-requests.submit-review': { id: number; userId: number };
  }
}

/** Has all comments of a review published, once the comment that asks for it is there. */
export async function enqueueSubmit({ queue }: Services, trx: Writer, id: number, userId: number): Promise<void> {
  await queue.enqueue(trx, 'merge-requests.submit-review', { id, userId }, { dedupeKey: `${id} ${userId}` });
}
