import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { isRefName } from '../../platform/git/refs/refname.ts';
import { repositoryExists } from '../../platform/git/repository.ts';

/** A resolved branch or tag, or the error. */
export type FoundRef =
  | { readonly kind: 'branch' | 'tag'; readonly name: string; readonly commit: Commit }
  | { readonly problem: string };

const prefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;

/** Resolves a full or short ref name. A name of both a branch and a tag is ambiguous. */
export async function findRef(services: Services, subject: ProjectSubject, ref: string): Promise<FoundRef> {
  const repo = repositoryOf(services, subject);
  if (!(await repositoryExists(repo))) return { problem: 'Reference not found' };
  const found: { kind: 'branch' | 'tag'; name: string; target: string }[] = [];
  for (const kind of ['branch', 'tag'] as const) {
    const fullName = ref.startsWith('refs/') ? ref : prefixes[kind] + ref;
    if (!fullName.startsWith(prefixes[kind]) || !isRefName(fullName)) continue;
    const target = await services.git.readRef(repo, fullName);
    if (target !== null) found.push({ kind, name: fullName.slice(prefixes[kind].length), target });
  }
  const [first, second] = found;
  if (!first) return { problem: 'Reference not found' };
  if (second) return { problem: 'Ref is ambiguous' };
  const objects = services.git.objects(repo);
  const oid = await objects.commitId(first.target);
  const commit = oid === null ? null : await objects.commit(oid);
  return commit ? { kind: first.kind, name: first.name, commit } : { problem: 'Commit not found' };
}
