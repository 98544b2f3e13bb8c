import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionLifetime } from '../../access/application-settings/effective.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { mustConfirm } from '../../access/credentials/email-confirmation.ts';
import { findUserByName } from '../../access/credentials/identify.ts';
import { checkPassword, isKeptElsewhere } from '../../access/credentials/passwords.ts';
import { sessionCookie } from '../../access/credentials/sessions.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import { changeUser, reactivate, recordSignIn, setPassword } from '../users/public.ts';
import { goHalfway, type Halfway } from './halfway.ts';
import { SignInRefused } from './refused.ts';
import { deleteByDigest, hasSessionLike, insertSession } from './store.ts';

/** The browser that signs in. */
export interface Browser {
  readonly ip: string;
  readonly userAgent: string;
  /** The `Cookie` header: the session that it had is over. */
  readonly cookie: string | undefined;
}

/** A session begun: what goes into the cookie, and until when the browser is to keep it. */
export interface Begun {
  readonly user: User;
  readonly secret: string;
  /** Undefined: until the browser is closed. */
  readonly expiresAt: number | undefined;
}

/** What somebody signs in with. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
  readonly remember: boolean;
}

const attempts = { count: 30, period: 60_000 };

/**
 * Signs a browser in. Whether a name is known cannot be learned from what is said, nor from how long it takes; only who
 * has the right password is told what is wrong with the account.
 */
export async function signIn(
  services: Services,
  { login, password, remember }: Credentials,
  browser: Browser,
): Promise<Begun | Halfway> {
  await countAttempt(services, browser);
  const user = await checkPassword(services, login, password);
  if (!user) throw await refused(services, login, browser, 'Invalid login or password.');
  if (!(await mayUsePassword(services, user))) {
    throw await refused(services, login, browser, 'Password authentication is unavailable.');
  }
  await refuseShutOut(services, user, login, browser);
  if (await mustConfirm(services, user)) throw await refused(services, login, browser, unconfirmed);
  if (await isGenerated(services, password)) {
    await services.db.write((trx) => changeUser(services, trx, user, { password_expires_at: Date.now() }));
  }
  return letIn(services, user, browser, { asksForCode: true, remember });
}

/** Signs a browser in whose owner has shown elsewhere who they are; whether that was shown well enough, `asksForCode` tells. */
export async function enterProven(
  services: Services,
  user: User,
  { asksForCode }: { readonly asksForCode: boolean },
  browser: Browser,
): Promise<Begun | Halfway> {
  await refuseShutOut(services, user, user.username, browser);
  return letIn(services, user, browser, { asksForCode, remember: false });
}

function letIn(
  services: Services,
  user: User,
  browser: Browser,
  { asksForCode, remember }: { readonly asksForCode: boolean; readonly remember: boolean },
): Promise<Begun | Halfway> {
  return services.db.write(async (trx) => {
    // As it is now: a second factor that was switched on meanwhile has ended the sessions before it, not this one.
    const current = await lockRow(trx, 'users', user.id);
    if (asksForCode && current?.two_factor_enabled === 1) return goHalfway(services, user, remember);
    return beginWithin(services, trx, user, browser, { signsIn: true, remember });
  });
}

async function refuseShutOut(services: Services, user: User, login: string, browser: Browser): Promise<void> {
  const reason = shutOut(services, user);
  if (reason !== undefined) throw await refused(services, login, browser, reason);
}

/** Tries from one address, whatever they are about: passwords and codes count alike. */
export async function countAttempt({ limits }: Services, { ip }: Browser): Promise<void> {
  const { exceeded } = await limits.count('user_sign_in', ip, attempts);
  if (exceeded) throw new SignInRefused('Too many attempts from your address. Wait a minute, then try again.');
}

/** Why this account is not let in by its owner; signing in wakes it, and leads to another password. */
export function shutOut({ externalUrl }: Services, user: User): string | undefined {
  const state = user.state === 'deactivated' ? 'active' : user.state;
  return unusable({ ...user, state, password_expires_at: null }, externalUrl);
}

/** Passwords that are kept here may be of no use on the pages; those of a directory always are. */
async function mayUsePassword(services: Services, user: User): Promise<boolean> {
  const { password_authentication_enabled_for_web: enabled } = await services.settings.read();
  return enabled || isKeptElsewhere(services, services.db.read, user);
}

const longestLogin = 255;
const unconfirmed = 'Confirm your address first: follow the link in the email that was sent to it.';

/** The refusal, once it is on record. */
export async function refused({ db, announce }: Services, login: string, { ip }: Browser, reason: string) {
  const user = await findUserByName(db.read, login);
  await db.write((trx) => announce(trx, 'sign-in.failed', { login: login.slice(0, longestLogin), user, ip }));
  return new SignInRefused(reason);
}

/** Whether it is the password that the first start made: it lies in a file, and is there to be replaced. */
async function isGenerated({ config }: Services, password: string): Promise<boolean> {
  const path = join(config.data, 'root-password');
  if (!existsSync(path)) return false;
  return safeEqual((await readFile(path, 'utf8')).trim(), password);
}

interface Beginning {
  readonly signsIn: boolean;
  readonly remember: boolean;
}

/** Begins a session within a transaction. */
export async function beginWithin(
  services: Services,
  trx: Writer,
  user: User,
  browser: Browser,
  { signsIn, remember }: Beginning,
): Promise<Begun> {
  const secret = randomToken(43);
  const now = Date.now();
  const settings = await services.settings.read();
  const expiresAt = now + sessionLifetime(settings, remember);
  const former = sessionCookie(browser.cookie);
  if (user.state === 'deactivated') await reactivate(services, trx, user);
  const known = !signsIn || (await isKnown(trx, user, browser));
  await recordSignIn(trx, user.id, browser.ip, now);
  if (former !== undefined) await deleteByDigest(trx, digest(former));
  await insertSession(trx, {
    user_id: user.id,
    digest: digest(secret),
    ip: browser.ip,
    user_agent: browser.userAgent.slice(0, 400),
    last_used_at: now,
    expires_at: expiresAt,
    created_at: now,
  });
  if (signsIn) {
    await services.announce(trx, 'sign-in.succeeded', { user, ip: browser.ip, userAgent: browser.userAgent, known });
  }
  return { user, secret, expiresAt: remember && settings.remember_me_enabled ? expiresAt : undefined };
}

/** Has this account been used from there, or with this browser? The first time there is nothing to compare with. */
async function isKnown(trx: Writer, user: User, { ip, cookie }: Browser): Promise<boolean> {
  if (user.sign_in_count === 0 || user.current_sign_in_ip === ip || user.last_sign_in_ip === ip) return true;
  const former = sessionCookie(cookie);
  return hasSessionLike(trx, user.id, ip, former === undefined ? undefined : digest(former));
}

/** Ends the session of a cookie, if there is one. */
export async function signOut({ db }: Services, cookie: string | undefined): Promise<void> {
  const secret = sessionCookie(cookie);
  if (secret !== undefined) await db.write((trx) => deleteByDigest(trx, digest(secret)));
}

/** Whoever is signed in, once they have shown that they know the password. */
export async function provenOwner(services: Services, user: User, password: string, browser: Browser): Promise<User> {
  await countAttempt(services, browser);
  const proven = await checkPassword(services, user.username, password);
  if (proven?.id !== user.id) throw new SignInRefused('The current password is not right.');
  return proven;
}

/** A new password of one's own: every session ends with the old one, and this browser gets a new one. */
export async function changeOwnPassword(
  services: Services,
  user: User,
  passwords: { readonly current: string; readonly next: string },
  browser: Browser,
): Promise<Begun> {
  const proven = await provenOwner(services, user, passwords.current, browser);
  if (passwords.next === passwords.current) throw new SignInRefused('The new password must be another one.');
  await setPassword(services, proven, passwords.next);
  return services.db.write((trx) => beginWithin(services, trx, proven, browser, { signsIn: false, remember: true }));
}
