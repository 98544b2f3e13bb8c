import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { repositoryExists } from '../../../platform/git/repository.ts';
import { headRef, mergeRef, trainRef } from '../mergeability/check.ts';
import type { MergeRequestRow } from '../tables.ts';
import { markRefsCleaned, withOldRefs } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A merge request was deleted, and its refs have to be deleted too. */
    'merge-requests.remove-refs': { projectId: number; iid: number };
  }
}

const day = 86_400_000;
/** Period after closing or merging during which a merge request can still be fetched by its IID. */
const keptFor = 14 * day;
const atOnce = 100;

/** Deletes the refs of a merge request. Its commits are kept, because versions refer to them. */
export async function removeRefs(
  { git }: Services,
  request: Pick<MergeRequestRow, 'project_id' | 'iid'>,
): Promise<boolean> {
  const repo = git.repository(request.project_id);
  if (!(await repositoryExists(repo))) return true;
  const updates: { ref: string; new: null }[] = [];
  for (const ref of [headRef(request), mergeRef(request), trainRef(request)]) {
    if ((await git.readRef(repo, ref)) !== null) updates.push({ ref, new: null });
  }
  // If a ref is locked, the deletion is retried later.
  return updates.length === 0 || (await git.updateRefs(repo, updates)).status === 'ok';
}

export function enqueueRemoveRefs(
  { queue }: Services,
  trx: Writer,
  { project_id, iid }: Pick<MergeRequestRow, 'project_id' | 'iid'>,
): Promise<number> {
  return queue.enqueue(trx, 'merge-requests.remove-refs', { projectId: project_id, iid });
}

/** Deletes the refs of merge requests that were closed or merged long ago. */
export async function cleanRefs(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const some = await withOldRefs(services.db.read, now - keptFor, after, atOnce);
    const cleaned: number[] = [];
    for (const request of some) if (await removeRefs(services, request)) cleaned.push(request.id);
    await services.db.write((trx) => markRefsCleaned(trx, cleaned));
    const last = some.at(-1);
    if (some.length < atOnce || !last) return;
    after = last.id;
  }
}

export function cleanUpJobs(services: Services): void {
  const { queue } = services;
  queue.recurring('merge-requests.clean-refs', { everyMs: day }, ({ signal }) => cleanRefs(services, signal));
  queue.defineJob('merge-requests.remove-refs', async ({ payload: { projectId, iid } }) => {
    const removed = await removeRefs(services, { project_id: projectId, iid });
    if (!removed) throw new Error(`refs of merge request ${iid} of project ${projectId} are locked`);
  });
}
