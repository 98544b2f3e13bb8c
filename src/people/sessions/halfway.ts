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
    /** Stands for the password that was right: with another one this is worth nothing. */
    password: Type.String(),
    remember: Type.Boolean(),
    until: Type.Integer(),
  }),
);

/** A right password, and a second factor yet to be shown. It is no session: the browser keeps it, and nothing but the code is asked with it. */
export interface Halfway {
  readonly halfway: string;
  readonly until: number;
}

const passwordOf = (user: User) => digest(user.password_digest ?? 'none');

export function goHalfway({ encryption }: Services, user: User, remember: boolean): Halfway {
  const until = Date.now() + minutes;
  return { halfway: claim.seal(encryption, { userId: user.id, password: passwordOf(user), remember, until }), until };
}

/** Who is on the way in; undefined where that was too long ago, or nobody. */
export function readHalfway({ encryption }: Services, sealed: string) {
  const found = claim.open(encryption, sealed);
  if (!found || found.until <= Date.now()) return undefined;
  const { userId, remember, password } = found;
  return {
    userId,
    remember,
    /** Is it still the account that the password was right for, and does it still ask for a code? */
    isGoodFor: (user: User) => user.two_factor_enabled === 1 && passwordOf(user) === password,
  };
}
