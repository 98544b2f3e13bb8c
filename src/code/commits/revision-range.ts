import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { parseRange, rangeTips } from '../../platform/git/history/range.ts';
import type { CommitQuery } from '../../platform/git/history/walk.ts';
import { EMPTY_TREE } from '../../platform/git/trees/tree.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { repositoryOf, resolveCommit } from '../repository/public.ts';

/** The commits to list from and to exclude, as full IDs. */
export type Tips = Pick<CommitQuery, 'tips' | 'exclude'>;

/** Resolves `ref_name`: a branch, tag or commit, or a range of two. Null if any part does not exist. */
export async function resolveTips(
  services: Services,
  subject: ProjectSubject,
  { ref_name: name = '', all }: { readonly ref_name?: string; readonly all: boolean },
): Promise<Tips | 'all' | null> {
  if (all) return 'all';
  if (!isRevisionText(name)) throw BadRequest.plain('ref_name is invalid');
  const range = parseRange(name);
  if (!range) {
    const commit = await resolveCommit(services, subject, name);
    return commit && { tips: [commit.oid] };
  }
  const [from, to] = await Promise.all([
    resolveCommit(services, subject, range.from),
    resolveCommit(services, subject, range.to),
  ]);
  // Comparisons use the empty tree as the start when there is no other.
  if (to && range.from === EMPTY_TREE && !range.symmetric) return { tips: [to.oid] };
  if (!from || !to) return null;
  const objects = services.git.objects(repositoryOf(services, subject));
  return rangeTips(objects, { from: from.oid, to: to.oid, symmetric: range.symmetric });
}

/** Whether a text can be a revision: no option, white space or control characters. */
export function isRevisionText(name: string): boolean {
  return !name.startsWith('-') && ![...name].some((char) => char <= ' ' || char === '\x7f' || /\s/.test(char));
}
