import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectAbility } from '../../access/policy.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Preference } from '../../platform/git/history/revision.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import type { NamedRef } from './ref-dates.ts';

export { committerOf } from './committer.ts';
export { type Asker, costly, takeTurn } from './cost.ts';
export { generatedIn } from './generated.ts';
export { keepAround } from './keep-around.ts';
export { pageGate } from './page-gate.ts';
export { peelTag } from './peel.ts';
export { countAgainst } from './rate.ts';
export { byDate, type NamedRef } from './ref-dates.ts';
export { type RefType, splitRefAndPath } from './ref-in-path.ts';
export { pageOfRefs, type RefWalk } from './ref-page.ts';
export { searchRefs } from './ref-search.ts';
export { settledBy } from './settled.ts';

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
  prefer?: Preference,
): Promise<Commit | null> {
  const repo = repositoryOf(services, subject);
  // A crash can leave a project without a repository: to readers that is an empty one.
  if (subject.project.empty_repo === 1 && !(await repositoryExists(repo))) return null;
  const name = revision === undefined || revision === '' || revision === 'HEAD' ? defaultBranch(subject) : revision;
  const found = await services.git.resolve(repo, name, prefer);
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

export interface RepositoryGateOptions {
  /** Where the repository is switched off, answer as if there were none: commits and branches do, the rest say 403. */
  readonly hidden?: boolean;
  /** Nobody may call this without signing in: said before anything else. */
  readonly signedIn?: boolean;
}

/** Guards what reads or writes a repository. */
export function repositoryGate(
  gates: Gates,
  ability: ProjectAbility,
  { hidden = false, signedIn = false }: RepositoryGateOptions = {},
): Gate<Actor, ProjectSubject> {
  return gates.project(ability, {
    signedIn,
    refusal: ({ project }) => (hidden && project.repository_access === 0 ? new NotFound('Repository') : undefined),
  });
}

/** Guards what writes refs by the API: 403 also for those who are not signed in, where they can read. */
export function pushGate(gates: Gates, options: RepositoryGateOptions = {}): Gate<Actor, ProjectSubject> {
  const read = repositoryGate(gates, 'read_code', options);
  return {
    ...read,
    asks: { subject: 'project', ability: 'push_code' },
    async enter(actor, params, request) {
      const subject = await read.enter(actor, params, request);
      if (actor.user === null || !subject.can('push_code')) throw new Forbidden();
      return subject;
    },
  };
}

/** A path or ref as it stands in an address: every part encoded, slashes kept. */
export function inAddress(name: string): string {
  return name.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** What a ref of a project points to; null when there is no such ref. */
export async function readNamedRef(services: Services, subject: ProjectSubject, ref: string): Promise<string | null> {
  const repo = repositoryOf(services, subject);
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
