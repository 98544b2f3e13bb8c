import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectAbility } from '../../access/policy.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, HttpError, NotFound } from '../../platform/http/errors.ts';

export interface RepositoryGateOptions {
  /** Answer 404 if the repository is disabled, as the commits and branches APIs do; others answer 403. */
  readonly hidden?: boolean;
}

const refusal =
  ({ hidden = false }: RepositoryGateOptions) =>
  ({ project }: ProjectSubject) =>
    hidden && project.repository_access === 0 ? new NotFound('Repository') : undefined;

/** The gate for reading a repository. */
export function repositoryGate(
  gates: Gates,
  ability: ProjectAbility,
  options: RepositoryGateOptions = {},
): Gate<Actor, ProjectSubject> {
  return gates.project(ability, { refusal: refusal(options) });
}

/** Like `repositoryGate`, but first requires a signed-in user. */
export function signedInRepositoryGate(
  gates: Gates,
  ability: ProjectAbility,
  options: RepositoryGateOptions = {},
): Gate<Actor, ProjectSubject, SignedInActor> {
  return gates.project(ability, { signedIn: true, refusal: refusal(options) });
}

/** The gate for writing refs through the API: 403 for anonymous callers who can read. */
export function pushGate(
  gates: Gates,
  options: RepositoryGateOptions = {},
): Gate<Actor, ProjectSubject, SignedInActor> {
  return requirePush(repositoryGate(gates, 'read_code', options));
}

/** Like `pushGate`, but first requires a signed-in user (401). */
export function signedInPushGate(gates: Gates): Gate<Actor, ProjectSubject, SignedInActor> {
  return requirePush(signedInRepositoryGate(gates, 'read_code'));
}

function requirePush({ admits: _, ...read }: Gate<Actor, ProjectSubject>): Gate<Actor, ProjectSubject, SignedInActor> {
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

/**
 * The gate for web URLs such as `/group/project/-/raw/main/file`: like the API, but a former project path redirects to
 * the current one.
 */
export function pageGate({ db, externalUrl }: Services, ability: ProjectAbility): Gate<Actor, ProjectSubject> {
  return {
    asks: { subject: 'project', ability },
    async enter(actor, params, { originalUrl }) {
      const subject = await readableProject(db, actor, params.id as string);
      if (subject.fullPath !== params.id) {
        const location = `${externalUrl}/${subject.fullPath}${originalUrl.slice(originalUrl.indexOf('/-/'))}`;
        throw new HttpError(301, '', { location });
      }
      if (!subject.can(ability)) throw new Forbidden();
      return subject;
    },
  };
}
