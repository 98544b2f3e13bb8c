import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import { listCommitIds } from '../../../platform/git/history/walk.ts';
import { markMerged } from '../merge/finish.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor, tipsOf } from '../versions/collect.ts';
import { renewVersion } from '../versions/renew.ts';
import { enqueueTakeIn } from './pushed.ts';
import { openIntoAfter } from './store.ts';

const atOnce = 200;
/** Looking at one merge request after the other, so that reads are not starved by a thousand of them. */
const sideBySide = 2;

/** The background work that follows pushes. */
export function followJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('merge-requests.take-in', ({ payload }) => renewVersion(services, payload.id), {
    maxAttempts: 8,
    timeoutMs: 120_000,
    concurrency: sideBySide,
  });
  queue.defineJob('merge-requests.target-moved', ({ payload, signal }) => targetMoved(services, payload, signal), {
    maxAttempts: 8,
  });
}

/** Of the merge requests into a branch, those that the push brought are merged; the others are looked at again. */
async function targetMoved(
  services: Services,
  { projectId, branch, userId }: { projectId: number; branch: string; userId: number | null },
  signal: AbortSignal,
): Promise<void> {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const some = await openIntoAfter(services.db.read, projectId, branch, after, atOnce);
    const waiting: MergeRequestRow[] = [];
    for (const request of some) if (!(await mergedByPush(services, request, userId))) waiting.push(request);
    if (waiting.length > 0) {
      await services.db.write(async (trx) => {
        for (const { id } of waiting) await enqueueTakeIn(services, trx, id, -1);
      });
    }
    const last = some.at(-1);
    if (some.length < atOnce || !last) return;
    after = last.id;
  }
}

/** Whether the target has all of a merge request by now; it is then merged, by whoever pushed. */
async function mergedByPush(services: Services, request: MergeRequestRow, userId: number | null): Promise<boolean> {
  const { head_sha: head, base_sha: base } = request;
  if (head === null || head === base) return false;
  const { source, target } = await tipsOf(services, request);
  if (target === null || (source !== null && source !== head)) return false;
  const repo = services.git.repository(request.project_id);
  if ((await commonAncestor(services.git.objects(repo), target, head)) !== head) return false;
  const mergeCommit = await broughtBy(services, request, head, target);
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', request.id);
    if (locked?.state !== 'opened' || locked.head_sha !== head) return;
    const landing = { userId: userId ?? locked.author_id, mergeCommit, squashCommit: null, removeSource: false };
    await markMerged(services, trx, locked, landing);
  });
  return true;
}

const mostLooked = 1000;

/** The commit on the line of the target that brought the head. */
async function broughtBy(services: Services, request: MergeRequestRow, head: string, tip: string): Promise<string> {
  const repo = services.git.repository(request.project_id);
  const exclude = request.start_sha === null ? [] : [request.start_sha];
  const walk = { tips: [tip], exclude, firstParent: true, limit: mostLooked };
  const line = [...(await listCommitIds(services.git.objects(repo), walk))].reverse();
  // The first of them that has it; those after it have it too.
  let [low, high] = [0, line.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isAncestor(repo, head, line[middle] as string)) high = middle;
    else low = middle + 1;
  }
  return line[low] ?? tip;
}
