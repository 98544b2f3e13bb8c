import type { Services } from '../../../access/services.ts';
import { mergeCommits } from '../../../platform/git/diff/merge.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import type { ObjectWriter } from '../../../platform/git/objects/writer.ts';
import type { RefUpdate } from '../../../platform/git/refs/refs.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor, type Tips } from '../versions/collect.ts';

/** Result of a mergeability check. */
export interface CheckResult {
  readonly merge_status: 'can_be_merged' | 'cannot_be_merged';
  readonly unmergeable_reason: MergeRequestRow['unmergeable_reason'];
  readonly behind_target: number;
  readonly checked_target_sha: string | null;
}

const unmergeable = (reason: 'commits' | 'conflict', target: string | null, behind = false): CheckResult => ({
  merge_status: 'cannot_be_merged',
  unmergeable_reason: reason,
  behind_target: behind ? 1 : 0,
  checked_target_sha: target,
});

const mergeable = (target: string, behind: boolean): CheckResult => ({
  merge_status: 'can_be_merged',
  unmergeable_reason: null,
  behind_target: behind ? 1 : 0,
  checked_target_sha: target,
});

/** Whether the stored result is valid for the current tips of the branches. */
export function isCurrentResult(
  {
    merge_status,
    checked_target_sha,
    head_sha,
  }: Pick<MergeRequestRow, 'merge_status' | 'checked_target_sha' | 'head_sha'>,
  { source, target }: Tips,
): boolean {
  if (source === null || target === null || source !== head_sha || target !== checked_target_sha) return false;
  return merge_status === 'can_be_merged' || merge_status === 'cannot_be_merged';
}

/** Whether a check found a conflict that was not known before. */
export function isNewConflict({ merge_status }: Pick<MergeRequestRow, 'merge_status'>, checked: CheckResult): boolean {
  return checked.unmergeable_reason === 'conflict' && !merge_status.startsWith('cannot_be_merged');
}

/** Test-merges the branches without changing them. */
export async function checkBranches(
  services: Services,
  { project_id }: Pick<MergeRequestRow, 'project_id'>,
  { source: head, target }: Tips,
): Promise<CheckResult> {
  if (head === null || target === null) return unmergeable('commits', target);
  const objects = services.git.objects(services.git.repository(project_id));
  const base = await commonAncestor(objects, target, head);
  if (base === head) return unmergeable('commits', target);
  if (base === target) return mergeable(target, false);
  // Unrelated histories have to be merged by the user.
  if (base === undefined) return unmergeable('conflict', target, true);
  const { status } = await mergeCommits(objects, target, head);
  return status === 'conflict' ? unmergeable('conflict', target, true) : mergeable(target, true);
}

export const headRef = ({ iid }: Pick<MergeRequestRow, 'iid'>) => `refs/merge-requests/${iid}/head`;
export const mergeRef = ({ iid }: Pick<MergeRequestRow, 'iid'>) => `refs/merge-requests/${iid}/merge`;
export const trainRef = ({ iid }: Pick<MergeRequestRow, 'iid'>) => `refs/merge-requests/${iid}/train`;

/** Keeps a commit that versions refer to from being garbage collected; the ref is hidden from all clients. */
const keptRef = (sha: string) => `refs/keep-around/${sha}`;

type Fetchable = Pick<MergeRequestRow, 'project_id' | 'iid' | 'source_branch' | 'target_branch'>;

/** Updates the refs for fetching the head and the merge result of a merge request. */
export async function writeRefs(
  services: Services,
  request: Fetchable,
  head: string,
  checked: CheckResult | undefined,
): Promise<void> {
  const { git } = services;
  const repo = git.repository(request.project_id);
  const updates: RefUpdate[] = [];
  if ((await git.readRef(repo, headRef(request))) !== head) updates.push({ ref: headRef(request), new: head });
  for (const sha of new Set([head, checked?.checked_target_sha ?? head])) {
    if ((await git.readRef(repo, keptRef(sha))) === null) updates.push({ ref: keptRef(sha), new: sha });
  }
  const target = checked?.merge_status === 'can_be_merged' ? checked.checked_target_sha : null;
  const writer = git.writer(repo);
  const merged = target === null ? undefined : await mergeRefUpdate(services, writer, request, head, target);
  await writer.flush();
  await setRefs(services, repo, merged ? [...updates, merged] : updates);
}

/** Writes the merge commit unless the ref already points to it. */
export async function mergeRefUpdate(
  services: Services,
  writer: ObjectWriter,
  request: Fetchable,
  head: string,
  target: string,
): Promise<RefUpdate | undefined> {
  const oid = await mergedCommit(services, writer, request, head, target);
  const repo = services.git.repository(request.project_id);
  if (oid === undefined || (await services.git.readRef(repo, mergeRef(request))) === oid) return undefined;
  return { ref: mergeRef(request), new: oid };
}

/** The merge commit; undefined if the branches conflict. */
async function mergedCommit(
  { git }: Services,
  writer: ObjectWriter,
  request: Fetchable,
  head: string,
  target: string,
): Promise<string | undefined> {
  const repo = git.repository(request.project_id);
  const objects = git.objects(repo);
  const tip = await objects.commit(head);
  if (!tip) return undefined;
  const straight = (await commonAncestor(objects, target, head)) === target;
  const merged = straight ? undefined : await mergeCommits(objects, target, head, writer);
  if (merged?.status === 'conflict') return undefined;
  // Uses the time of the head, so that the same tips always yield the same commit.
  const signature = { name: 'Hearth', email: 'noreply@localhost', seconds: tip.committer.seconds, zone: 0 };
  return createCommit(writer, {
    tree: merged?.tree ?? tip.tree,
    parents: [target, head],
    author: signature,
    committer: signature,
    message: `Merge branch '${request.source_branch}' into '${request.target_branch}'\n`,
  });
}

/** Updates the merge ref and returns its commit; undefined if the branches conflict. */
export async function writeMergeRef(
  services: Services,
  request: Fetchable,
  head: string,
  target: string,
): Promise<string | undefined> {
  const { git } = services;
  const repo = git.repository(request.project_id);
  const writer = git.writer(repo);
  const oid = await mergedCommit(services, writer, request, head, target);
  if (oid === undefined) return undefined;
  await writer.flush();
  const isThere = (await git.readRef(repo, mergeRef(request))) === oid;
  await setRefs(services, repo, isThere ? [] : [{ ref: mergeRef(request), new: oid }]);
  return oid;
}

export async function setRefs({ git }: Services, repo: Repository, updates: readonly RefUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const result = await git.updateRefs(repo, updates);
  // The holder of the lock is doing the same with tips that are at least as recent.
  if (result.status !== 'ok' && result.status !== 'locked') throw new Error(`${updates[0]?.ref}: ${result.message}`);
}
