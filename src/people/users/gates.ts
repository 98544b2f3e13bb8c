import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import { findUser, findUserByName } from '../../access/credentials/identify.ts';
import type { Gates } from '../../access/gates.ts';
import type { User } from '../../access/tables.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound, Unauthorized } from '../../platform/http/errors.ts';

/** The user with this number or name; 404 when there is none. */
export async function userByIdOrName(db: Reader, who: string): Promise<User> {
  const user = /^\d{1,15}$/.test(who) ? await findUser(db, Number(who)) : await findUserByName(db, who);
  if (!user) throw new NotFound('User');
  return user;
}

type UserGate = Gate<Actor, User, SignedInActor>;

/** The gates in front of users: each finds the user that the path names. */
export function createUserGates(db: Database, gates: Gates, param = 'id') {
  const named = (params: Record<string, unknown>) => userByIdOrName(db.read, String(params[param]));
  return {
    /** Administrators alone may do this to a user. */
    admin: {
      ...gates.admin,
      async enter(actor, params, request) {
        gates.admin.enter(actor, params, request);
        return named(params);
      },
    } satisfies UserGate as UserGate,

    /** Open to everyone, signed in or not. */
    anyone: { asks: { subject: 'anyone' }, enter: (_actor, params) => named(params) } satisfies Gate<Actor, User>,

    /** Needs a signed-in user. */
    signedIn: {
      ...gates.signedIn,
      enter: (_actor, params) => named(params),
    } satisfies UserGate as UserGate,

    /** Needs a signed-in user, and says so with a 403. */
    known: {
      asks: { subject: 'user' },
      before(actor) {
        if (actor.user === null) throw new Forbidden('Not authorized!');
      },
      enter: (_actor, params) => named(params),
    } satisfies UserGate as UserGate,

    /** Oneself, or anyone for an administrator. */
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
