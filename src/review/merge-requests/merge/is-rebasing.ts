import type { Services } from '../../../access/services.ts';
import type { MergeRequestRow } from '../tables.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'merge-requests.rebase': { id: number; userId: number; skipCi: boolean };
  }
}

/** Whether a rebase is in progress. An abandoned one (its server crashed on every attempt) does not count. */
export async function isRebasing({ queue }: Services, { id, rebase_started_at }: MergeRequestRow): Promise<boolean> {
  if (rebase_started_at === null) return false;
  return (await queue.underWay('merge-requests.rebase', [String(id)])).size > 0;
}
