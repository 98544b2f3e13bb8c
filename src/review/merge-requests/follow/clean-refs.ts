import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { repositoryExists } from '../../../platform/git/repository.ts';
import { headRef, mergeRef, trainRef } from '../mergeability/check.ts';
import type { MergeRequestRow } from '../tables.ts';
import { markRefsCleaned, withOldRefs } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A merge request is gone, and its refs are to go too. */
    'merge-requests.remove-refs': { projectId: number; iid: number };
  }
}

const day = 86_400_000;
/** So long after it was closed or merged, a merge request can be fetched by its number. */
const keptFor = 14 * day;
const atOnce = 100;

/** The commits stay, since versions speak of them; what goes are the names by which git fetched them. */
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
  // Whoever holds a lock lets go of it before the next time.
  return updates.length === 0 || (await git.updateRefs(repo, updates)).status === 'ok';
}

export function enqueueRemoveRefs(
  { queue }: Services,
  trx: Writer,
  { project_id, iid }: Pick<MergeRequestRow, 'project_id' | 'iid'>,
): Promise<number> {
  return queue.enqueue(trx, 'merge-requests.remove-refs', { projectId: project_id, iid });
}

/** Removes the refs of what was closed or merged long ago. */
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
    if (!removed) throw new Error(`refs of merge request ${iid} of project ${projectId} are held`);
  });
}
