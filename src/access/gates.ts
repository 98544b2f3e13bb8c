import type { Database } from '../platform/database/database.ts';
import type { Gate } from '../platform/http/endpoint.ts';
import { Forbidden, type HttpError, NotFound, Unauthorized } from '../platform/http/errors.ts';
import { type Actor, isAdmin, type SignedInActor, seesAll } from './actor.ts';
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
  /** Nobody may call this without signing in, even where the subject is public. */
  readonly signedIn?: boolean;
  /** A refusal of the route's own, asked before the policy: for what answers otherwise than 403. */
  readonly refusal?: (subject: ProjectSubject) => HttpError | undefined;
}

/** What a gate proves of whoever passes: abilities that write, and those that ask for it, need a sign-in. */
type Admitted<Rule, Options> = Options extends { signedIn: true }
  ? SignedInActor
  : Rule extends { reads: true }
    ? Actor
    : SignedInActor;

function requireUser(actor: Actor): User {
  if (actor.user === null) throw new Unauthorized();
  return actor.user;
}

// Who writes is said before what: a missing sign-in must not tell whether the subject exists.
function signIn(rule: AbilityRule, options: GateOptions | undefined): { before?: typeof requireUser } {
  return options?.signedIn || !rule.reads ? { before: requireUser } : {};
}

type UserGate = Gate<Actor, User, SignedInActor>;

/** What routes are guarded by: who may call, and on what. */
export function createGates(db: Database, externalUrl: string) {
  const gates = {
    /** Open to everyone; the handler decides what each sees. */
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
        if (!seesAll(actor)) throw new Forbidden();
        return requireUser(actor);
      },
    } satisfies UserGate as UserGate,

    /** A project the caller can see, and an ability in it. Abilities that write need a user, said first. */
    project<A extends ProjectAbility, const O extends GateOptions = GateOptions>(
      ability: A,
      options?: O,
    ): Gate<Actor, ProjectSubject, Admitted<(typeof projectAbilities)[A], O>> {
      return {
        asks: { subject: 'project', ability },
        ...signIn(projectAbilities[ability], options),
        async enter(actor, params, request) {
          const asked = { method: request.method, url: request.url, externalUrl };
          const subject = await readableProject(db, actor, params.id as string, asked);
          const refusal = options?.refusal?.(subject);
          if (refusal) throw refusal;
          if (!subject.can(ability)) throw new Forbidden();
          return subject;
        },
        // Its repository goes too, while others may be reading or writing it.
        gone: async ({ project: { id } }) =>
          (await projectById.first(db.read, { id })) ? undefined : new NotFound('Project'),
      };
    },

    /** A group the caller can see, and an ability in it. */
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
