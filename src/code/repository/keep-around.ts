import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';

/**
 * Keeps a commit that something speaks of, whatever becomes of the branches that lead to it. The ref is hidden from
 * every client and no push, so it does not go through the rules and records of pushes.
 */
export async function keepAround({ git }: Services, subject: ProjectSubject, sha: string): Promise<void> {
  const repo = git.repository(subject.project.id);
  const ref = `refs/keep-around/${sha}`;
  if ((await git.readRef(repo, ref)) !== null) return;
  const result = await git.updateRefs(repo, [{ ref, new: sha }]);
  // Whoever holds the lock is doing the same.
  if (result.status !== 'ok' && result.status !== 'locked') throw new Error(`${ref}: ${result.message}`);
}
