import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { digest } from '../../platform/secrets/tokens.ts';

const minutes = 10 * 60_000;

const claim = sealedJson(
  'sessions.halfway',
  Type.Object({
    userId: Type.Integer(),
    /** Digest of the password verified: after a password change the claim is invalid. */
    password: Type.String(),
    remember: Type.Boolean(),
    until: Type.Integer(),
  }),
);

/**
 * A verified password with the second factor still missing. It is not a session: the browser stores it, and it is only
 * accepted together with the code.
 */
export interface PendingSignIn {
  readonly halfway: string;
  readonly until: number;
}

const passwordOf = (user: User) => digest(user.password_digest ?? 'none');

export function createPendingSignIn({ encryption }: Services, user: User, remember: boolean): PendingSignIn {
  const until = Date.now() + minutes;
  return { halfway: claim.seal(encryption, { userId: user.id, password: passwordOf(user), remember, until }), until };
}

/** Opens a sealed claim; undefined if it expired or is invalid. */
export function readPendingSignIn({ encryption }: Services, sealed: string) {
  const found = claim.open(encryption, sealed);
  if (!found || found.until <= Date.now()) return undefined;
  const { userId, remember, password } = found;
  return {
    userId,
    remember,
    /** Whether the account still has the verified password and requires a code. */
    isGoodFor: (user: User) => user.two_factor_enabled === 1 && passwordOf(user) === password,
  };
}
