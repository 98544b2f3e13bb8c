import type { Services } from '../../../access/services.ts';
import type { MergeRequestRow } from '../tables.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'merge-requests.rebase': { id: number; userId: number; skipCi: boolean };
  }
}

/** Whether it is being rebased: one whose server died each time that it was tried is not, though it was never ended. */
export async function isBeingRebased(
  { queue }: Services,
  { id, rebase_started_at }: MergeRequestRow,
): Promise<boolean> {
  if (rebase_started_at === null) return false;
  return (await queue.underWay('merge-requests.rebase', [String(id)])).size > 0;
}
