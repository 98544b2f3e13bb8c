import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import { listCommitIds } from '../../../platform/git/history/walk.ts';
import { giveToDo } from '../changes/records.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { markMerged } from '../merge/finish.ts';
import { Yielding } from '../merge/under-way.ts';
import { type Checked, checkBranches, isKnown, isNewConflict } from '../mergeability/check.ts';
import type { MergeRequestRow } from '../tables.ts';
import { followTarget } from '../trains/follow.ts';
import { commonAncestor, type Tips, tipOf } from '../versions/collect.ts';
import { hasSameOwners, renewVersion } from '../versions/renew.ts';
import { enqueueMergeRefs, writeMergeRefs } from './merge-refs.ts';
import { keepChecked, openIntoAfter } from './store.ts';
import { enqueueTakeIn } from './take-in-queue.ts';

/** So many are written in one transaction: others who write wait no longer than for these. */
const atOnce = 100;
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
    timeoutMs: 600_000,
  });
  queue.defineJob('merge-requests.merge-refs', ({ payload, signal }) => writeMergeRefs(services, payload, signal), {
    maxAttempts: 3,
    concurrency: 1,
    timeoutMs: 600_000,
  });
}

/** Of the merge requests into a branch, those that the push brought are merged; the others are looked at again. */
async function targetMoved(
  services: Services,
  { projectId, branch, userId }: { projectId: number; branch: string; userId: number | null },
  signal: AbortSignal,
): Promise<void> {
  await followTarget(services, projectId, branch);
  const target = await tipOf(services, projectId, branch);
  const yielding = new Yielding(services);
  let after = 0;
  for (;;) {
    const some = await openIntoAfter(services.db.read, projectId, branch, after, atOnce);
    const found: Recheck[] = [];
    const others: number[] = [];
    for (const request of some) {
      signal.throwIfAborted();
      const tips = { source: await tipOf(services, request.source_project_id, request.source_branch), target };
      if (isKnown(request, tips)) continue;
      if (await mergedByPush(services, request, tips, userId)) continue;
      const checked = await checkAgain(services, request, tips);
      if (checked) found.push({ request, checked });
      else others.push(request.id);
      await yielding.giveWay(signal);
    }
    // What was found is of no use any more, and whoever moved the branch has left another job.
    if ((await tipOf(services, projectId, branch)) !== target) return;
    await services.db.write(async (trx) => {
      for (const { request, checked } of found) {
        if (!(await keepChecked(trx, request, checked))) continue;
        if (isNewConflict(request, checked)) await giveToDo(trx, request, 'unmergeable');
        await enqueueAutoMerge(services, trx, request);
      }
      for (const id of others) await enqueueTakeIn(services, trx, id, -1);
    });
    const last = some.at(-1);
    if (some.length < atOnce || !last) break;
    after = last.id;
  }
  await services.db.write((trx) => enqueueMergeRefs(services, trx, projectId, branch));
}

interface Recheck {
  readonly request: MergeRequestRow;
  readonly checked: Checked;
}

/** How the branches merge now that the target has moved; undefined where there is more to take in than that. */
async function checkAgain(services: Services, request: MergeRequestRow, tips: Tips): Promise<Checked | undefined> {
  if (tips.target === null || tips.source !== request.head_sha) return undefined;
  return (await hasSameOwners(services, request, tips.target)) ? checkBranches(services, request, tips) : undefined;
}

/** Whether the target has all of a merge request by now; it is then merged, by whoever pushed. */
async function mergedByPush(
  services: Services,
  request: MergeRequestRow,
  { source, target }: Tips,
  userId: number | null,
): Promise<boolean> {
  const { head_sha: head, base_sha: base } = request;
  if (head === null || head === base) return false;
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

const maxLooked = 1000;

/** The commit on the line of the target that brought the head. */
async function broughtBy(services: Services, request: MergeRequestRow, head: string, tip: string): Promise<string> {
  const repo = services.git.repository(request.project_id);
  const exclude = request.start_sha === null ? [] : [request.start_sha];
  const walk = { tips: [tip], exclude, firstParent: true, limit: maxLooked };
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
