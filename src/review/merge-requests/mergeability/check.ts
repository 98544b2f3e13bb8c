import type { Services } from '../../../access/services.ts';
import { mergeCommits } from '../../../platform/git/diff/merge.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor, type Tips } from '../versions/collect.ts';

/** What a look at the branches found. */
export interface Checked {
  readonly merge_status: 'can_be_merged' | 'cannot_be_merged';
  readonly unmergeable_reason: MergeRequestRow['unmergeable_reason'];
  readonly behind_target: number;
  readonly checked_target_sha: string | null;
  /** The tree that merging them makes. */
  readonly tree: string | null;
}

const unmergeable = (reason: 'commits' | 'conflict', target: string | null, behind = false): Checked => ({
  merge_status: 'cannot_be_merged',
  unmergeable_reason: reason,
  behind_target: behind ? 1 : 0,
  checked_target_sha: target,
  tree: null,
});

/** Merges the branches without a trace on them, and says how that went. */
export async function checkBranches(
  services: Services,
  { project_id }: Pick<MergeRequestRow, 'project_id'>,
  { source: head, target }: Tips,
): Promise<Checked> {
  if (head === null || target === null) return unmergeable('commits', target);
  const repo = services.git.repository(project_id);
  const objects = services.git.objects(repo);
  const base = await commonAncestor(objects, target, head);
  if (base === head) return unmergeable('commits', target);
  if (base === target) {
    const tree = (await objects.commit(head))?.tree ?? null;
    return {
      merge_status: 'can_be_merged',
      unmergeable_reason: null,
      behind_target: 0,
      checked_target_sha: target,
      tree,
    };
  }
  // Histories that never met are for their owners to join.
  if (base === undefined) return unmergeable('conflict', target, true);
  const merged = await mergeCommits(repo, target, head);
  if (merged.status === 'conflict') return unmergeable('conflict', target, true);
  return {
    merge_status: 'can_be_merged',
    unmergeable_reason: null,
    behind_target: 1,
    checked_target_sha: target,
    tree: merged.tree,
  };
}

export const headRef = ({ iid }: Pick<MergeRequestRow, 'iid'>) => `refs/merge-requests/${iid}/head`;
export const mergeRef = ({ iid }: Pick<MergeRequestRow, 'iid'>) => `refs/merge-requests/${iid}/merge`;

/** A commit that versions speak of stays, whatever becomes of the branches; the ref is hidden from every client. */
const keptRef = (sha: string) => `refs/keep-around/${sha}`;

/** Sets the refs by which git fetches the head of a merge request, and what merging it would make. */
export async function writeRefs(
  services: Services,
  request: Pick<MergeRequestRow, 'project_id' | 'iid' | 'source_branch' | 'target_branch'>,
  head: string,
  checked: Checked | undefined,
): Promise<string | undefined> {
  const { git } = services;
  const repo = git.repository(request.project_id);
  const updates: { ref: string; new: string | null }[] = [];
  if ((await git.readRef(repo, headRef(request))) !== head) updates.push({ ref: headRef(request), new: head });
  for (const sha of new Set([head, checked?.checked_target_sha ?? head])) {
    if ((await git.readRef(repo, keptRef(sha))) === null) updates.push({ ref: keptRef(sha), new: sha });
  }
  const merged = await mergeCommitFor(services, request, head, checked);
  if (merged !== undefined && (await git.readRef(repo, mergeRef(request))) !== merged) {
    updates.push({ ref: mergeRef(request), new: merged });
  }
  const result = await git.updateRefs(repo, updates);
  // Whoever holds the lock is doing the same, with branches that are no older.
  if (result.status !== 'ok' && result.status !== 'locked') throw new Error(`${headRef(request)}: ${result.message}`);
  return merged;
}

async function mergeCommitFor(
  services: Services,
  request: Pick<MergeRequestRow, 'project_id' | 'source_branch' | 'target_branch'>,
  head: string,
  checked: Checked | undefined,
): Promise<string | undefined> {
  if (checked === undefined || checked.tree === null || checked.checked_target_sha === null) return undefined;
  const repo = services.git.repository(request.project_id);
  const tip = await services.git.objects(repo).commit(head);
  if (!tip) return undefined;
  // The time of the head, so that the same branches make the same commit.
  const who = { name: 'Hearth', email: 'noreply@localhost', seconds: tip.committer.seconds, zone: 0 };
  const writer = services.git.writer(repo);
  const oid = await createCommit(writer, {
    tree: checked.tree,
    parents: [checked.checked_target_sha, head],
    author: who,
    committer: who,
    message: `Merge branch '${request.source_branch}' into '${request.target_branch}'\n`,
  });
  await writer.flush();
  return oid;
}
