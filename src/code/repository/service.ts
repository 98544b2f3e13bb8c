import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { commitEmail } from '../../people/users/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Identity } from '../../platform/git/objects/identity.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { NotFound } from '../../platform/http/errors.ts';

/** The repository of a project. */
export function repositoryOf(services: Services, subject: ProjectSubject): Repository {
  return services.git.repository(subject.project.id);
}

/** The address of a project's pages. */
export function projectUrl(services: Services, subject: ProjectSubject): string {
  return `${services.externalUrl}/${subject.fullPath}`;
}

/** The branch that is meant when none is named. */
export function defaultBranch(subject: ProjectSubject): string {
  return subject.project.default_branch ?? 'main';
}

/** The commit that a revision of the caller's stands for; nothing named, or HEAD, is the default branch. */
export async function resolveCommit(
  services: Services,
  subject: ProjectSubject,
  revision: string | undefined,
): Promise<Commit | null> {
  const repo = repositoryOf(services, subject);
  // A crash can leave a project without a repository: to readers that is an empty one.
  if (subject.project.empty_repo === 1 && !(await repositoryExists(repo))) return null;
  const unnamed = revision === undefined || revision === '' || revision === 'HEAD';
  const found = await services.git.resolve(repo, unnamed ? `refs/heads/${defaultBranch(subject)}` : revision);
  return found && services.git.objects(repo).commit(found.commit);
}

/** As `resolveCommit`; 404 with the given name when there is none. */
export async function requireCommit(
  services: Services,
  subject: ProjectSubject,
  revision: string | undefined,
  name = 'Commit',
): Promise<Commit> {
  const commit = await resolveCommit(services, subject, revision);
  if (!commit) throw new NotFound(name);
  return commit;
}

/** A path or ref as it stands in an address: every part encoded, slashes kept. */
export function inAddress(name: string): string {
  return name.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** A user as the commits and tags that they make here name them. */
export function committerOf({ externalUrl }: Services, user: User, at = Date.now()): Identity {
  return { name: user.name, email: commitEmail(user, externalUrl), seconds: Math.floor(at / 1000), zone: 0 };
}

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
