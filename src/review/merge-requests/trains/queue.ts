import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Something has changed on a train, in its target branch, or in one of its pipelines. */
    'merge-trains.drive': { projectId: number; branch: string };
  }
}

/** Enqueues a run of the train of a branch. */
export async function enqueueTrain(
  { queue }: Services,
  trx: Writer,
  { project_id: projectId, target_branch: branch }: { readonly project_id: number; readonly target_branch: string },
): Promise<void> {
  await queue.enqueue(trx, 'merge-trains.drive', { projectId, branch }, { dedupeKey: `${projectId}:${branch}` });
}
