import type { Services } from '../../../access/services.ts';
import type { MovedRef, Push } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { markMerged } from '../merge/finish.ts';
import { parseMergeResult } from '../merge/stored-result.ts';
import { enqueueOptions } from '../push-options/service.ts';
import { settleApplied } from '../suggestions/mark-applied.ts';
import { closeWithoutSource } from './close.ts';
import { enqueueRefresh } from './refresh-queue.ts';
import { invalidateFrom, invalidateInto, requestByLandedSha } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The target branch of open merge requests has moved; `userId` is the user who pushed. */
    'merge-requests.target-moved': { projectId: number; branch: string; userId: number | null };
  }
}

/** Processes a push: merges that it completes, merge requests from its branches, and merge requests into them. */
export async function followPushes(services: Services, trx: Writer, push: Push): Promise<void> {
  for (const ref of push.refs) if (ref.kind === 'branch') await followBranch(services, trx, push, ref);
  await settleApplied(services, trx, push);
  await enqueueOptions(services, trx, push);
}

async function followBranch(services: Services, trx: Writer, push: Push, ref: MovedRef): Promise<void> {
  const { projectId, userId } = push;
  await completeMerge(services, trx, projectId, ref);
  for (const request of await invalidateFrom(trx, projectId, ref.name, userId)) {
    // A locked merge request is being merged; reopening it checks the branch again.
    if (request.state === 'locked') continue;
    if (ref.new === null) await closeWithoutSource(services, trx, request, userId ?? request.author_id);
    else await enqueueRefresh(services, trx, request.id);
  }
  if (await invalidateInto(trx, projectId, ref.name)) {
    const payload = { projectId, branch: ref.name, userId };
    const dedupeKey = `${projectId}:${ref.name}`;
    await services.queue.enqueue(trx, 'merge-requests.target-moved', payload, { dedupeKey });
  }
}

/** Completes a merge in progress with the push that it made. */
async function completeMerge(services: Services, trx: Writer, projectId: number, ref: MovedRef): Promise<void> {
  const landed = ref.new === null ? undefined : await requestByLandedSha(trx, projectId, ref.name, ref.new);
  const landing = landed && parseMergeResult(landed.landing);
  if (landed && landing) await markMerged(services, trx, landed, landing);
}
