import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { presentCommit } from '../commits/public.ts';
import { branchAccess } from '../protected-refs/public.ts';
import { encodePath, type NamedRef, projectUrl, repositoryOf } from '../repository/public.ts';
import { mergedTips } from './merged-tips.ts';
import type { BranchEntity } from './schema.ts';

/**
 * Presents a page of branches for a caller, with a fixed number of queries and processes. `defaultTip` is the commit of
 * the default branch, if already known.
 */
export async function presentBranches(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  refs: readonly NamedRef[],
  defaultTip?: string,
): Promise<BranchEntity[]> {
  if (refs.length === 0) return [];
  const repo = repositoryOf(services, subject);
  const objects = services.git.objects(repo);
  const defaultName = subject.project.default_branch;
  const oids = refs.map((ref) => ref.oid);
  const known = defaultTip ?? refs.find((ref) => ref.name === defaultName)?.oid;
  const [access, commits, tip] = await Promise.all([
    branchAccess(services.db.read, caller, subject),
    objects.commits(oids),
    known ?? (defaultName === null ? null : services.git.readRef(repo, `refs/heads/${defaultName}`)),
  ]);
  const merged = await mergedTips(objects, tip, oids);
  const url = projectUrl(services, subject);
  return refs.flatMap(({ name, oid }, i) => {
    const commit = commits[i];
    if (!commit) return [];
    return {
      name,
      commit: presentCommit(commit, url),
      merged: merged.has(oid) && name !== defaultName,
      protected: access.isProtected(name),
      developers_can_push: access.namesDevelopers('push', name),
      developers_can_merge: access.namesDevelopers('merge', name),
      can_push: access.canPush(name),
      default: name === defaultName,
      web_url: `${url}/-/tree/${encodePath(name)}`,
    };
  });
}
