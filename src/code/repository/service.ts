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

/** The web URL of a project. */
export function projectUrl(services: Services, subject: ProjectSubject): string {
  return `${services.externalUrl}/${subject.fullPath}`;
}

/** The default branch of a project, `main` if it has none. */
export function defaultBranch(subject: ProjectSubject): string {
  return subject.project.default_branch ?? 'main';
}

/** Resolves a revision to a commit. An empty revision or HEAD means the default branch. */
export async function resolveCommit(
  services: Services,
  subject: ProjectSubject,
  revision: string | undefined,
): Promise<Commit | null> {
  const repo = repositoryOf(services, subject);
  // After a crash a project may lack its repository; it reads as an empty one.
  if (subject.project.empty_repo === 1 && !(await repositoryExists(repo))) return null;
  const unnamed = revision === undefined || revision === '' || revision === 'HEAD';
  const found = await services.git.resolve(repo, unnamed ? `refs/heads/${defaultBranch(subject)}` : revision);
  return found && services.git.objects(repo).commit(found.commit);
}

/** Like `resolveCommit`, but throws 404 with the given name. */
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

/** Encodes a path or ref for a URL, keeping slashes. */
export function encodePath(name: string): string {
  return name.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** The committer identity of a user for commits and tags created here. */
export function committerOf({ externalUrl }: Services, user: User, at = Date.now()): Identity {
  return { name: user.name, email: commitEmail(user, externalUrl), seconds: Math.floor(at / 1000), zone: 0 };
}

/**
 * Creates a hidden ref that protects a referenced commit from garbage collection, whatever happens to its branches. It
 * is invisible to clients, so push rules and push records do not apply.
 */
export async function keepAround({ git }: Services, subject: ProjectSubject, sha: string): Promise<void> {
  const repo = git.repository(subject.project.id);
  const ref = `refs/keep-around/${sha}`;
  if ((await git.readRef(repo, ref)) !== null) return;
  const result = await git.updateRefs(repo, [{ ref, new: sha }]);
  // A concurrent call holding the lock creates the same ref.
  if (result.status !== 'ok' && result.status !== 'locked') throw new Error(`${ref}: ${result.message}`);
}
