import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { committerOf } from '../../../code/repository/public.ts';
import { pickTree } from '../../../platform/git/diff/merge.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import { EMPTY_TREE } from '../../../platform/git/trees/tree.ts';
import { commitsOf } from '../closing/service.ts';
import type { MergeRequestRow } from '../tables.ts';

/**
 * Rebases the commits of a merge request onto another commit and returns the new tip; undefined if one of them
 * conflicts. Merge commits are flattened, authors are kept.
 */
export async function copyCommits(
  services: Services,
  caller: SignedInActor,
  request: MergeRequestRow,
  target: string,
): Promise<string | undefined> {
  const repo = services.git.repository(request.project_id);
  const objects = services.git.objects(repo);
  const committer = committerOf(services, caller.user);
  let tip = await objects.commit(target);
  for (const commit of await commitsOf(services, request)) {
    if (commit.parents.length > 1) continue;
    const [parentId] = commit.parents;
    const parent = parentId === undefined ? null : await objects.commit(parentId);
    if (!tip) return undefined;
    const picked = await pickTree(repo, { base: parent?.tree ?? EMPTY_TREE, change: commit.tree, onto: tip.tree });
    if (picked.status === 'conflict') return undefined;
    if (picked.status === 'empty') continue;
    const { author, message } = commit;
    const writer = services.git.writer(repo);
    const made = await createCommit(writer, { tree: picked.tree, parents: [tip.oid], author, committer, message });
    await writer.flush();
    tip = await objects.commit(made);
  }
  return tip?.oid;
}
