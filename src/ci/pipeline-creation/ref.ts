import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { isRefName } from '../../platform/git/refs/refname.ts';
import { repositoryExists } from '../../platform/git/repository.ts';

/** A branch or tag to run on, or why there is none. */
export type FoundRef =
  | { readonly kind: 'branch' | 'tag'; readonly name: string; readonly commit: Commit }
  | { readonly problem: string };

const prefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;

/** The branch or tag of a name, whole or short. A name that both have stands for neither. */
export async function findRef(services: Services, subject: ProjectSubject, ref: string): Promise<FoundRef> {
  const repo = repositoryOf(services, subject);
  if (!(await repositoryExists(repo))) return { problem: 'Reference not found' };
  const found: { kind: 'branch' | 'tag'; name: string; target: string }[] = [];
  for (const kind of ['branch', 'tag'] as const) {
    const whole = ref.startsWith('refs/') ? ref : prefixes[kind] + ref;
    if (!whole.startsWith(prefixes[kind]) || !isRefName(whole)) continue;
    const target = await services.git.readRef(repo, whole);
    if (target !== null) found.push({ kind, name: whole.slice(prefixes[kind].length), target });
  }
  const [first, second] = found;
  if (!first) return { problem: 'Reference not found' };
  if (second) return { problem: 'Ref is ambiguous' };
  const objects = services.git.objects(repo);
  const oid = await objects.commitId(first.target);
  const commit = oid === null ? null : await objects.commit(oid);
  return commit ? { kind: first.kind, name: first.name, commit } : { problem: 'Commit not found' };
}
