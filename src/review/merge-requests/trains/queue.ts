import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Something has changed on the train of a branch, in front of it, or in a pipeline of it. */
    'merge-trains.drive': { projectId: number; branch: string };
  }
}

/** Has the train of a branch looked at. */
export async function enqueueTrain(
  { queue }: Services,
  trx: Writer,
  { project_id: projectId, target_branch: branch }: { readonly project_id: number; readonly target_branch: string },
): Promise<void> {
  await queue.enqueue(trx, 'merge-trains.drive', { projectId, branch }, { dedupeKey: `${projectId}:${branch}` });
}
