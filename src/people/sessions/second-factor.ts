import Type from 'typebox';
import { hasDirectoryPassword } from '../../access/credentials/passwords.ts';
import { mustHaveSecondFactor } from '../../access/credentials/second-factor-enforcement.ts';
import { sessionCookie } from '../../access/credentials/sessions.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { fault } from '../../platform/faults.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import {
  appLink,
  base32,
  disableFactor,
  enableFactor,
  inGroups,
  newKey,
  type Proof,
  renewCodes,
  verifyFactor,
} from '../second-factor/public.ts';
import { readPendingSignIn } from './pending-sign-in.ts';
import { SignInExpired, SignInRefused } from './refused.ts';
import {
  type Browser,
  createSessionIn,
  limitAttempts,
  type NewSession,
  signInBlockReason,
  verifyOwner,
} from './sign-in.ts';
import { endOtherSessions } from './store.ts';

const wrong: Readonly<Record<Exclude<Proof, 'right'>, string>> = {
  wrong: 'Invalid two-factor code.',
  locked: 'Too many wrong codes. Wait a few minutes, then try again.',
};

const signInExpired = () => new SignInExpired('The sign-in has expired, or your account has changed. Sign in again.');

/** Completes a sign-in with the second factor. */
export async function finishSignIn(
  services: Services,
  sealed: string | undefined,
  code: string,
  browser: Browser,
): Promise<NewSession> {
  await limitAttempts(services, browser);
  const halfway = sealed === undefined ? undefined : readPendingSignIn(services, sealed);
  if (!halfway) throw signInExpired();
  // Thrown after the transaction, because a wrong code has to be counted.
  const outcome = await services.db.write(async (trx): Promise<NewSession | SignInRefused> => {
    const user = await lockRow(trx, 'users', halfway.userId);
    if (!user || !halfway.isGoodFor(user)) return signInExpired();
    const reason = signInBlockReason(services, user);
    const proof = reason === undefined ? await verifyFactor(services, trx, user, code) : 'wrong';
    if (proof !== 'right') {
      await services.announce(trx, 'sign-in.failed', { login: user.username, user, ip: browser.ip });
      return new SignInRefused(reason ?? wrong[proof]);
    }
    fault('second-factor.proven');
    return createSessionIn(services, trx, user, browser, { signsIn: true, remember: halfway.remember });
  });
  if (outcome instanceof SignInRefused) throw outcome;
  return outcome;
}

/** Whether the claim is valid. */
export const isPendingSignIn = (services: Services, sealed: string): boolean =>
  readPendingSignIn(services, sealed) !== undefined;

const offered = sealedJson(
  'sessions.offered-key',
  Type.Object({ userId: Type.Integer(), key: Type.String(), until: Type.Integer() }),
);
const offerLasts = 3_600_000;

/**
 * A TOTP key offered to the user. It is stored on the server only when a matching code is sent with the sealed value.
 */
export interface Offer {
  readonly sealed: string;
  /** Key for manual entry. */
  readonly key: string;
  /** Provisioning URI. */
  readonly link: string;
}

/** Offers a TOTP key; reuses that of an earlier offer if it is still valid for the user. */
export function offerFactor(services: Services, user: User, earlier?: string): Offer {
  const known = earlier === undefined ? undefined : openOffer(services, user, earlier);
  const key = known ?? newKey();
  const until = Date.now() + offerLasts;
  const sealed = offered.seal(services.encryption, { userId: user.id, key: key.toString('base64'), until });
  const link = appLink(key, new URL(services.externalUrl).host, user.username);
  return { sealed, key: inGroups(base32(key), ' '), link };
}

function openOffer({ encryption }: Services, user: User, sealed: string): Buffer | undefined {
  const found = offered.open(encryption, sealed);
  const isGood = found !== undefined && found.userId === user.id && found.until > Date.now();
  return isGood ? Buffer.from(found.key, 'base64') : undefined;
}

/** Credentials for changes to the second factor. */
export interface FactorCredentials {
  readonly password: string;
  readonly code: string;
}

/** Whether the user has a password to ask for; users of a provider may have none. */
export async function hasPassword(services: Services, user: User): Promise<boolean> {
  return user.password_digest !== null || hasDirectoryPassword(services, services.db.read, user);
}

/** Changes the caller's second factor after verifying the password; a refusal is thrown after the commit. */
async function asOwner<T>(
  services: Services,
  user: User,
  password: string,
  browser: Browser,
  change: (trx: Writer, owner: User) => Promise<T | SignInRefused>,
): Promise<T> {
  const asks = await hasPassword(services, user);
  const proven = asks ? await verifyOwner(services, user, password, browser) : user;
  const outcome = await services.db.write(async (trx) => {
    const owner = await lockRow(trx, 'users', user.id);
    const isSame = owner?.password_digest === proven.password_digest;
    return owner && isSame ? change(trx, owner) : new SignInRefused('Your account has changed. Try again.');
  });
  if (outcome instanceof SignInRefused) throw outcome;
  return outcome;
}

/**
 * Enables two-factor authentication and returns the recovery codes. Other sessions, which never presented it, are
 * revoked.
 */
export function enableOwnFactor(
  services: Services,
  user: User,
  { password, code, sealed }: FactorCredentials & { readonly sealed: string },
  browser: Browser,
): Promise<string[]> {
  return asOwner(services, user, password, browser, async (trx, owner) => {
    if (owner.two_factor_enabled === 1) return new SignInRefused('Two-factor authentication is already enabled.');
    const key = openOffer(services, owner, sealed);
    if (!key) return new SignInRefused('The key is older than one hour. Add the new one to your app.');
    const codes = await enableFactor(services, trx, owner, { key, code });
    if (!codes) return new SignInRefused(wrong.wrong);
    const own = sessionCookie(browser.cookie);
    await endOtherSessions(trx, owner.id, own === undefined ? '' : digest(own));
    return codes;
  });
}

const isOff = () => new SignInRefused('Two-factor authentication is not enabled.');

export async function disableOwnFactor(
  services: Services,
  user: User,
  { password, code }: FactorCredentials,
  browser: Browser,
): Promise<true> {
  const isAsked = await mustHaveSecondFactor(services, user);
  return asOwner(services, user, password, browser, async (trx, owner) => {
    if (owner.two_factor_enabled === 0) return isOff();
    if (isAsked) return new SignInRefused('Two-factor authentication is required on this instance.');
    const proof = await verifyFactor(services, trx, owner, code);
    if (proof !== 'right') return new SignInRefused(wrong[proof]);
    await disableFactor(services, trx, owner, owner);
    return true as const;
  });
}

/** Replaces the recovery codes. */
export function replaceOwnCodes(services: Services, user: User, password: string, browser: Browser): Promise<string[]> {
  return asOwner(services, user, password, browser, async (trx, owner) =>
    owner.two_factor_enabled === 0 ? isOff() : renewCodes(services, trx, owner),
  );
}
