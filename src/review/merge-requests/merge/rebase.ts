import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { mayPush } from '../../../code/commits/public.ts';
import { branchAccess } from '../../../code/protected-refs/public.ts';
import { moveRefs, PushRefused } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { importCommit } from '../../../platform/git/objects/import-commit.ts';
import { Conflict, Forbidden } from '../../../platform/http/errors.ts';
import { sourceOf } from '../source.ts';
import { requestById, updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor, tipsOf } from '../versions/collect.ts';
import { refreshRequest } from '../versions/refresh.ts';
import { copyCommits } from './copy-commits.ts';
import { isRebasing } from './is-rebasing.ts';
import { requireForMerge } from './service.ts';

const failed = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';
const refused = (text: string) => `The rebase pre-receive hook failed: ${text}.`;

/** Starts rebasing the source branch onto the target. */
export async function startRebase(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  skipCi: boolean,
): Promise<{ rebase_in_progress: boolean }> {
  const { request } = await requireForMerge(services, subject, iid);
  const source = await sourceOf(services, caller, request);
  const tips = await tipsOf(services, request);
  if (!source || tips.source === null) throw new Forbidden('Source branch does not exist');
  const access = await branchAccess(services.db.read, caller, source);
  if (!(await mayPush(services, { caller, subject: source }, request.source_branch))) {
    throw new Forbidden('Cannot push to source branch');
  }
  if (!access.allowsForcePush(request.source_branch)) {
    throw new Forbidden('Source branch is protected from force push');
  }
  await services.db.write((trx) => enqueueRebase(services, trx, caller, request.id, skipCi));
  return { rebase_in_progress: true };
}

/** Enqueues the rebase; the caller has been found to be allowed to push to the source. */
export async function enqueueRebase(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  id: number,
  skipCi = false,
): Promise<void> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (locked?.state !== 'opened' || (await isRebasing(services, locked))) {
    throw new Conflict('409 Conflict: Resource lock');
  }
  await updateRequest(trx, id, { rebase_started_at: Date.now(), merge_error: null });
  const payload = { id, userId: caller.user.id, skipCi };
  await services.queue.enqueue(trx, 'merge-requests.rebase', payload, { dedupeKey: String(id) });
}

/** Whether the caller may rewrite the source branch. */
export async function mayRebase(services: Services, caller: SignedInActor, request: MergeRequestRow): Promise<boolean> {
  const source = await sourceOf(services, caller, request);
  if (!source) return false;
  const access = await branchAccess(services.db.read, caller, source);
  const pushes = await mayPush(services, { caller, subject: source }, request.source_branch);
  return pushes && access.allowsForcePush(request.source_branch);
}

/** Rebases the commits of the merge request onto the target; runs as a background job. */
export async function rebase(
  services: Services,
  { id, userId, skipCi }: { id: number; userId: number; skipCi: boolean },
): Promise<void> {
  const [request, user] = await Promise.all([requestById(services.db.read, id), findUser(services.db.read, userId)]);
  if (!request || request.rebase_started_at === null) return;
  let mergeError: string | null = failed;
  try {
    const caller = user && actorOnBehalfOf(user);
    const source = caller && (await sourceOf(services, caller, request));
    if (caller && source && request.state === 'opened') {
      mergeError = await rebaseOnto(services, caller, source, request, skipCi);
    }
  } finally {
    await services.db.write((trx) => endRebase(trx, id, mergeError));
  }
  fault('rebase.recorded');
  if (mergeError === null) await refreshRequest(services, id);
}

/** The error of a rebase is not stored if the merge request was merged or closed meanwhile. */
async function endRebase(trx: Writer, id: number, mergeError: string | null): Promise<void> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (!locked) return;
  const errorColumns = locked.state === 'opened' ? { merge_error: mergeError } : {};
  await updateRequest(trx, id, { rebase_started_at: null, ...errorColumns });
}

async function rebaseOnto(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  request: MergeRequestRow,
  skipCi: boolean,
): Promise<string | null> {
  const tips = await tipsOf(services, request);
  if (tips.source === null || tips.target === null) return failed;
  // Also if a server stopped after moving the branch and this is the second attempt.
  if (await isOnTop(services, request, tips.source, tips.target)) return null;
  if (tips.source !== request.head_sha) return failed;
  const tip = await copyCommits(services, caller, request, tips.target);
  if (tip === undefined) return failed;
  fault('rebase.copied');
  if (tip === tips.source) return null;
  if (request.source_project_id !== null && request.source_project_id !== request.project_id) {
    const { git } = services;
    await importCommit(git.repository(request.project_id), git.repository(request.source_project_id), tip);
  }
  await services.db.write((trx) => updateRequest(trx, request.id, { rebased_sha: tip }));
  const changes = [{ ref: `refs/heads/${request.source_branch}`, old: tips.source, new: tip }];
  const pushOptions = skipCi ? ['ci.skip'] : [];
  try {
    const push = { actor: caller, subject: source, changes, protocol: 'web', pushOptions, purpose: 'rebase' } as const;
    const moved = await moveRefs(services, push);
    fault('rebase.moved');
    return moved.status === 'ok' ? null : failed;
  } catch (error) {
    if (error instanceof PushRefused) return refused(error.message);
    throw error;
  }
}

/** Whether the source contains the target; a fork may not even have the target commit. */
async function isOnTop({ git }: Services, request: MergeRequestRow, source: string, target: string): Promise<boolean> {
  const objects = git.objects(git.repository(request.source_project_id ?? request.project_id));
  return (await objects.commit(target)) !== null && (await commonAncestor(objects, target, source)) === target;
}
