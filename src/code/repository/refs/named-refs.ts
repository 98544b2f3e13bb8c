import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type Repository, repositoryExists } from '../../../platform/git/repository.ts';

/** A branch or tag by its short name. */
export interface NamedRef {
  readonly name: string;
  readonly oid: string;
}

/** What a ref of a project points to; null when there is no such ref. */
export async function readNamedRef(services: Services, subject: ProjectSubject, ref: string): Promise<string | null> {
  const repo = services.git.repository(subject.project.id);
  if (subject.project.empty_repo === 1 && !(await repositoryExists(repo))) return null;
  return services.git.readRef(repo, ref);
}

/** The branches or tags of a project by their short names, in the byte order of those. */
export async function namedRefs(
  services: Services,
  repo: Repository,
  prefix: 'refs/heads/' | 'refs/tags/',
): Promise<NamedRef[]> {
  const refs = await services.git.listRefs(repo, prefix);
  return refs.map(({ name, oid }) => ({ name: name.slice(prefix.length), oid }));
}
