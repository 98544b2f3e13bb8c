import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import { listCommitIds } from '../../../platform/git/history/walk.ts';
import { recordConflict } from '../changes/records.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { markMerged } from '../merge/finish.ts';
import { CooperativeWork } from '../merge/priority.ts';
import { type CheckResult, checkBranches, isCurrentResult, isNewConflict } from '../mergeability/check.ts';
import type { MergeRequestRow } from '../tables.ts';
import { followTarget } from '../trains/follow.ts';
import { commonAncestor, type Tips, tipOf } from '../versions/collect.ts';
import { hasSameCodeOwners, refreshRequest } from '../versions/refresh.ts';
import { enqueueMergeRefs, writeMergeRefs } from './merge-refs.ts';
import { enqueueRefresh } from './refresh-queue.ts';
import { openIntoAfter, storeCheckResult } from './store.ts';

/** Maximum number of rows written per transaction, to limit how long other writers wait. */
const atOnce = 100;
/** Maximum concurrency, so that a thousand merge requests do not starve other readers. */
const maxConcurrency = 2;

/** Registers the background jobs that follow pushes. */
export function followJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('merge-requests.take-in', ({ payload }) => refreshRequest(services, payload.id), {
    maxAttempts: 8,
    timeoutMs: 120_000,
    concurrency: maxConcurrency,
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

/**
 * Processes a push to the target branch: merge requests that it contains are marked as merged, and the others are
 * checked again.
 */
async function targetMoved(
  services: Services,
  { projectId, branch, userId }: { projectId: number; branch: string; userId: number | null },
  signal: AbortSignal,
): Promise<void> {
  await followTarget(services, projectId, branch);
  const target = await tipOf(services, projectId, branch);
  const yielding = new CooperativeWork(services);
  let after = 0;
  for (;;) {
    const some = await openIntoAfter(services.db.read, projectId, branch, after, atOnce);
    const found: Recheck[] = [];
    const others: number[] = [];
    for (const request of some) {
      signal.throwIfAborted();
      const tips = { source: await tipOf(services, request.source_project_id, request.source_branch), target };
      if (isCurrentResult(request, tips)) continue;
      if (await mergedByPush(services, request, tips, userId)) continue;
      const checked = await recheckMergeability(services, request, tips);
      if (checked) found.push({ request, checked });
      else others.push(request.id);
      await yielding.yieldIfDue(signal);
    }
    // The results are outdated: the branch has moved again, and that push has enqueued another job.
    if ((await tipOf(services, projectId, branch)) !== target) return;
    await services.db.write(async (trx) => {
      for (const { request, checked } of found) {
        if (!(await storeCheckResult(trx, request, checked))) continue;
        if (isNewConflict(request, checked)) await recordConflict(services, trx, request);
        await enqueueAutoMerge(services, trx, request);
      }
      for (const id of others) await enqueueRefresh(services, trx, id, -1);
    });
    const last = some.at(-1);
    if (some.length < atOnce || !last) break;
    after = last.id;
  }
  await services.db.write((trx) => enqueueMergeRefs(services, trx, projectId, branch));
}

interface Recheck {
  readonly request: MergeRequestRow;
  readonly checked: CheckResult;
}

/** Checks mergeability after the target has moved; undefined if a full update is required. */
async function recheckMergeability(
  services: Services,
  request: MergeRequestRow,
  tips: Tips,
): Promise<CheckResult | undefined> {
  if (tips.target === null || tips.source !== request.head_sha) return undefined;
  return (await hasSameCodeOwners(services, request, tips.target)) ? checkBranches(services, request, tips) : undefined;
}

/**
 * Whether the target now contains all commits of a merge request, which is then marked as merged by the user who
 * pushed.
 */
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
  const mergeCommit = await mergeCommitOf(services, request, head, target);
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', request.id);
    if (locked?.state !== 'opened' || locked.head_sha !== head) return;
    const landing = { userId: userId ?? locked.author_id, mergeCommit, squashCommit: null, removeSource: false };
    await markMerged(services, trx, locked, landing);
  });
  return true;
}

const maxSearched = 1000;

/** The first-parent commit of the target that introduced the head. */
async function mergeCommitOf(services: Services, request: MergeRequestRow, head: string, tip: string): Promise<string> {
  const repo = services.git.repository(request.project_id);
  const exclude = request.start_sha === null ? [] : [request.start_sha];
  const walk = { tips: [tip], exclude, firstParent: true, limit: maxSearched };
  const line = [...(await listCommitIds(services.git.objects(repo), walk))].reverse();
  // Binary search: every commit after the first one containing the head contains it too.
  let [low, high] = [0, line.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isAncestor(repo, head, line[middle] as string)) high = middle;
    else low = middle + 1;
  }
  return line[low] ?? tip;
}
