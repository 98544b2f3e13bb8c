import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type Repository, repositoryExists } from '../../../platform/git/repository.ts';

/** A branch or tag with its short name. */
export interface NamedRef {
  readonly name: string;
  readonly oid: string;
}

/** Returns the object ID of a ref of a project; null if it does not exist. */
export async function readNamedRef(services: Services, subject: ProjectSubject, ref: string): Promise<string | null> {
  const repo = services.git.repository(subject.project.id);
  if (subject.project.empty_repo === 1 && !(await repositoryExists(repo))) return null;
  return services.git.readRef(repo, ref);
}

/** Lists branches or tags with their short names, in byte order. */
export async function namedRefs(
  services: Services,
  repo: Repository,
  prefix: 'refs/heads/' | 'refs/tags/',
): Promise<NamedRef[]> {
  const refs = await services.git.listRefs(repo, prefix);
  return refs.map(({ name, oid }) => ({ name: name.slice(prefix.length), oid }));
}
