import type { Services } from '../../../access/services.ts';
import { codeOwnersAt, type OwnedPart } from '../../../code/code-owners/public.ts';
import { finishTodos } from '../../../planning/todos/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import { type Commit, commitTitle } from '../../../platform/git/objects/commit.ts';
import { ownersOf, removeApprovals } from '../approvals/code-owners/follow.ts';
import { storeOwnerRules } from '../approvals/code-owners/store.ts';
import { asDraft, isDraft } from '../changes/draft.ts';
import { recordConflict, recordNotes, requestTarget } from '../changes/records.ts';
import { enqueueMoveNotes } from '../discussions/move-queue.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { autoMergeAbortedNotes, autoMergeResetColumns } from '../merge/without-auto-merge.ts';
import { checkBranches, headRef, isCurrentResult, isNewConflict, writeRefs } from '../mergeability/check.ts';
import { stateOf } from '../service.ts';
import { requestById, updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { collectVersion, tipsOf, type VersionContent } from './collect.ts';
import { addVersion, isSamePatch } from './store.ts';

/**
 * Updates an open merge request to the current tips of its branches: creates a version if the source has moved, and
 * checks mergeability. Idempotent.
 */
export async function refreshRequest(services: Services, id: number): Promise<void> {
  const request = await requestById(services.db.read, id);
  if (request?.state !== 'opened') return;
  const tips = await tipsOf(services, request);
  const due = request.version_due === 1;
  if (!due && isCurrentResult(request, tips) && (await isFetchable(services, request))) return;
  const moved = tips.source !== null && tips.source !== request.head_sha;
  const version = moved || due ? await collectVersion(services, request, tips) : undefined;
  const added = moved && version ? await addedCommits(services, request, version) : [];
  const checked = await checkBranches(services, request, tips);
  const owners = await ownersOf(services, request, version, tips);
  let overtaken = false;
  const after = await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    // The concurrent change has triggered another update.
    if (locked?.state !== 'opened' || locked.target_branch !== request.target_branch) return undefined;
    if (locked.head_sha !== request.head_sha) {
      overtaken = true;
      return undefined;
    }
    // The version has been created concurrently.
    if (due && locked.version_due === 0) return undefined;
    const samePatch = version !== undefined && (await isSamePatch(trx, locked, version));
    if (version) {
      await addVersion(trx, locked, version);
      await enqueueMoveNotes(services, trx, id);
    }
    if (owners) await storeOwnerRules(trx, locked, owners.rules);
    const renewed = await updateRequest(trx, id, { ...checked, ...(due && { version_due: 0 }) });
    const pushed = moved && version !== undefined;
    const push = { added, touched: owners?.touched ?? [], samePatch };
    const after = pushed ? await followPush(services, trx, locked, renewed, push) : renewed;
    if (isNewConflict(locked, checked)) await recordConflict(services, trx, after);
    if (!pushed) await enqueueAutoMerge(services, trx, renewed);
    return after;
  });
  // A concurrent update processed a push, possibly an older one than this; run again, because nothing else would.
  if (overtaken) return refreshRequest(services, id);
  fault('merge-request.renewed');
  if (after && tips.source !== null && tips.target !== null) await writeRefs(services, after, tips.source, checked);
}

/** Whether the head ref is up to date; after a server stop the next update writes it. */
async function isFetchable({ git }: Services, request: MergeRequestRow): Promise<boolean> {
  return (await git.readRef(git.repository(request.project_id), headRef(request))) === request.head_sha;
}

/**
 * Returns the merge request with its current mergeability. If only the target has moved, nothing is stored: the caller
 * acts on the result immediately, and the job of the push stores it.
 */
export async function withCurrentMergeability(services: Services, request: MergeRequestRow): Promise<MergeRequestRow> {
  if (request.state !== 'opened') return request;
  const tips = await tipsOf(services, request);
  if (isCurrentResult(request, tips)) return request;
  const sameOwners = tips.target !== null && (await hasSameCodeOwners(services, request, tips.target));
  if (tips.source === request.head_sha && sameOwners) {
    return { ...request, ...(await checkBranches(services, request, tips)) };
  }
  await refreshRequest(services, request.id);
  return (await requestById(services.db.read, request.id)) ?? request;
}

/** Whether the target's current CODEOWNERS file is the one that the rules were derived from. */
export async function hasSameCodeOwners({ git }: Services, request: MergeRequestRow, target: string): Promise<boolean> {
  if (request.checked_target_sha === null) return false;
  const objects = git.objects(git.repository(request.project_id));
  const [was, is] = await Promise.all([
    codeOwnersAt(objects, request.checked_target_sha),
    codeOwnersAt(objects, target),
  ]);
  return was?.oid === is?.oid;
}

const maxAdded = 1000;

/** New commits of a push, oldest first. */
async function addedCommits(services: Services, request: MergeRequestRow, version: VersionContent): Promise<Commit[]> {
  const objects = services.git.objects(services.git.repository(request.project_id));
  const exclude = [version.start, ...(request.head_sha === null ? [] : [request.head_sha])];
  return (await listCommits(objects, { tips: [version.head], exclude, limit: maxAdded })).reverse();
}

/** Whether a commit marks the merge request as draft: fixup and squash commits indicate unfinished work. */
function marksDraft({ message }: Commit): boolean {
  const title = commitTitle(message);
  return isDraft(title) || /(?:fixup|squash)! /.test(title);
}

interface Push {
  readonly added: readonly Commit[];
  /** CODEOWNERS sections with changed files. */
  readonly touched: readonly OwnedPart[];
  readonly samePatch: boolean;
}

/** Other consequences of a push to the source branch. */
async function followPush(
  services: Services,
  trx: Writer,
  before: MergeRequestRow,
  request: MergeRequestRow,
  { added, touched, samePatch }: Push,
): Promise<MergeRequestRow> {
  const userId = request.source_pushed_by_id ?? request.author_id;
  const notes: string[] = [];
  const columns: Partial<Omit<MergeRequestRow, 'id'>> = {
    merge_error: null,
    updated_at: Date.now(),
    // Another push of this head, after a different one, is not the rebase any more.
    rebased_sha: null,
  };
  if (added.length > 0) {
    const shown = added.map(({ oid, message }) => ({ sha: oid, title: commitTitle(message) }));
    notes.push(texts.commitsAdded(shown, added.length));
  }
  const unfinished = added.find(marksDraft);
  if (unfinished && request.draft === 0) {
    Object.assign(columns, { title: asDraft(request.title).slice(0, 255), draft: 1 });
    notes.push(texts.draftByCommit(unfinished.oid));
  }
  Object.assign(columns, autoMergeResetColumns(request));
  notes.push(...autoMergeAbortedNotes(request, 'source branch was updated'));
  const isRebased = before.rebased_sha !== null && before.rebased_sha === request.head_sha;
  const pushed = { pusherId: userId, commits: added, touched, samePatch };
  const reset = isRebased ? undefined : await removeApprovals(services, trx, request, pushed);
  const after = await updateRequest(trx, request.id, columns);
  await recordNotes(trx, after, userId, notes);
  await finishTodos(trx, userId, requestTarget(after));
  const [old, state] = [await stateOf(trx, before), await stateOf(trx, after)];
  await services.announce(trx, 'merge-request.changed', {
    action: 'update',
    actorId: userId,
    before: { ...old, request: before },
    after: state,
    ...(before.head_sha !== null && { oldHead: before.head_sha }),
  });
  if (reset) {
    await services.announce(trx, 'merge-request.changed', { ...reset, actorId: userId, before: state, after: state });
  }
  return after;
}
