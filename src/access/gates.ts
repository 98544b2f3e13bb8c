import type { Database } from '../platform/database/database.ts';
import type { Gate } from '../platform/http/endpoint.ts';
import { Forbidden, type HttpError, NotFound, Unauthorized } from '../platform/http/errors.ts';
import { type Actor, canReadEverything, isAdmin, type SignedInActor } from './actor.ts';
import {
  type AbilityRule,
  type GroupAbility,
  groupAbilities,
  type ProjectAbility,
  projectAbilities,
} from './policy.ts';
import { projectById } from './subject-queries.ts';
import { type GroupSubject, type ProjectSubject, readableGroup, readableProject } from './subjects.ts';
import type { User } from './tables.ts';

export interface GateOptions {
  /** Requires sign-in even if the subject is public. */
  readonly signedIn?: boolean;
  /** A custom check before the policy, for responses other than 403. */
  readonly refusal?: (subject: ProjectSubject) => HttpError | undefined;
  /** Asks the policy before the parameters are validated. */
  readonly early?: boolean;
}

/** The type of admitted actors: abilities that write, and gates with `signedIn`, require a user. */
type Admitted<Rule, Options> = Options extends { signedIn: true }
  ? SignedInActor
  : Rule extends { reads: true }
    ? Actor
    : SignedInActor;

function requireUser(actor: Actor): User {
  if (actor.user === null) throw new Unauthorized();
  return actor.user;
}

// A missing sign-in is reported before anything is loaded, so that it does not reveal whether the subject exists.
function signIn(rule: AbilityRule, options: GateOptions | undefined): { before?: typeof requireUser } {
  return options?.signedIn || !rule.reads ? { before: requireUser } : {};
}

type UserGate = Gate<Actor, User, SignedInActor>;

/** Creates the gates of routes, which decide who may call them and load the subject. */
export function createGates(db: Database, externalUrl: string) {
  const gates = {
    /** Open to everyone; the handler decides what each caller can see. */
    anyone: {
      asks: { subject: 'anyone' },
      enter: () => undefined,
    } satisfies Gate<Actor, undefined>,

    /** Needs a signed-in user, who is the subject. */
    signedIn: {
      asks: { subject: 'user' },
      before: requireUser,
      enter: requireUser,
    } satisfies UserGate as UserGate,

    /** Administrators only. */
    admin: {
      asks: { subject: 'administrator' },
      before: requireUser,
      enter: (actor) => {
        if (!isAdmin(actor)) throw new Forbidden();
        return requireUser(actor);
      },
    } satisfies UserGate as UserGate,

    /** Administrators and auditors. */
    auditor: {
      asks: { subject: 'administrator or auditor' },
      before: requireUser,
      enter: (actor) => {
        if (!canReadEverything(actor)) throw new Forbidden();
        return requireUser(actor);
      },
    } satisfies UserGate as UserGate,

    /** A project that the caller can see, and an ability in it. Abilities that write require sign-in first. */
    project<A extends ProjectAbility, const O extends GateOptions = GateOptions>(
      ability: A,
      options?: O,
    ): Gate<Actor, ProjectSubject, Admitted<(typeof projectAbilities)[A], O>> {
      return {
        asks: { subject: 'project', ability },
        ...signIn(projectAbilities[ability], options),
        early: options?.early === true,
        async enter(actor, params, request) {
          const visited = { method: request.method, url: request.url, externalUrl };
          const subject = await readableProject(db, actor, params.id as string, visited);
          const refusal = options?.refusal?.(subject);
          if (refusal) throw refusal;
          if (!subject.can(ability)) throw new Forbidden();
          return subject;
        },
        // When a project is deleted, its repository disappears while other requests may be using it.
        gone: async ({ project: { id } }) =>
          (await projectById.first(db.read, { id })) ? undefined : new NotFound('Project'),
      };
    },

    /** A group that the caller can see, and an ability in it. */
    group<A extends GroupAbility, const O extends GateOptions = GateOptions>(
      ability: A,
      options?: O,
    ): Gate<Actor, GroupSubject, Admitted<(typeof groupAbilities)[A], O>> {
      return {
        asks: { subject: 'group', ability },
        ...signIn(groupAbilities[ability], options),
        async enter(actor, params) {
          const subject = await readableGroup(db, actor, params.id as string);
          if (!subject.can(ability)) throw new Forbidden();
          return subject;
        },
      };
    },
  };
  return gates;
}

export type Gates = ReturnType<typeof createGates>;
