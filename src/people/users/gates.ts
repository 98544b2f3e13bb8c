import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import { findUser, findUserByName } from '../../access/credentials/identify.ts';
import type { Gates } from '../../access/gates.ts';
import type { User } from '../../access/tables.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound, Unauthorized } from '../../platform/http/errors.ts';

/** Finds a user by id or username; throws 404 if there is none. */
export async function userByIdOrName(db: Reader, who: string): Promise<User> {
  const user = /^\d{1,15}$/.test(who) ? await findUser(db, Number(who)) : await findUserByName(db, who);
  if (!user) throw new NotFound('User');
  return user;
}

type UserGate = Gate<Actor, User, SignedInActor>;

/** Gates that load the user named in the path. */
export function createUserGates(db: Database, gates: Gates, param = 'id') {
  const named = (params: Record<string, unknown>) => userByIdOrName(db.read, String(params[param]));
  return {
    /** Administrators only. */
    admin: {
      ...gates.admin,
      async enter(actor, params, request) {
        gates.admin.enter(actor, params, request);
        return named(params);
      },
    } satisfies UserGate as UserGate,

    /** Everyone, including unauthenticated callers. */
    anyone: { asks: { subject: 'anyone' }, enter: (_actor, params) => named(params) } satisfies Gate<Actor, User>,

    /** Requires a signed-in user; 401 otherwise. */
    signedIn: {
      ...gates.signedIn,
      enter: (_actor, params) => named(params),
    } satisfies UserGate as UserGate,

    /** Requires a signed-in user; 403 otherwise. */
    known: {
      asks: { subject: 'user' },
      before(actor) {
        if (actor.user === null) throw new Forbidden('Not authorized!');
      },
      enter: (_actor, params) => named(params),
    } satisfies UserGate as UserGate,

    /** The user themselves, or an administrator. */
    selfOrAdmin: {
      asks: { subject: 'user or administrator' },
      before(actor) {
        if (actor.user === null) throw new Unauthorized();
      },
      async enter(actor, params) {
        const user = await named(params);
        if (!isAdmin(actor) && actor.user?.id !== user.id) throw new Forbidden();
        return user;
      },
    } satisfies UserGate as UserGate,
  };
}

export type UserGates = ReturnType<typeof createUserGates>;
