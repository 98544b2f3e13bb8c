import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionLifetime } from '../../access/application-settings/effective.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { mustConfirm } from '../../access/credentials/email-confirmation.ts';
import { findUserByName } from '../../access/credentials/identify.ts';
import { checkPassword, hasDirectoryPassword } from '../../access/credentials/passwords.ts';
import { sessionCookie } from '../../access/credentials/sessions.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import { changeUser, reactivate, recordSignIn, setPassword } from '../users/public.ts';
import { createPendingSignIn, type PendingSignIn } from './pending-sign-in.ts';
import { SignInRefused } from './refused.ts';
import { deleteByDigest, hasKnownSession, insertSession } from './store.ts';

/** The browser that signs in. */
export interface Browser {
  readonly ip: string;
  readonly userAgent: string;
  /** The `Cookie` header; an existing session is ended. */
  readonly cookie: string | undefined;
}

/** A new session: its secret for the cookie, and the expiry of the cookie. */
export interface NewSession {
  readonly user: User;
  readonly secret: string;
  /** Undefined for a browser-session cookie. */
  readonly expiresAt: number | undefined;
}

/** Sign-in form values. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
  readonly remember: boolean;
}

const attempts = { count: 30, period: 60_000 };

/**
 * Signs in with a password. Neither the response nor its timing reveals whether a login exists; problems with the
 * account are reported only if the password is correct.
 */
export async function signIn(
  services: Services,
  { login, password, remember }: Credentials,
  browser: Browser,
): Promise<NewSession | PendingSignIn> {
  await limitAttempts(services, browser);
  const user = await checkPassword(services, login, password);
  if (!user) throw await recordFailedSignIn(services, login, browser, 'Invalid login or password.');
  if (!(await mayUsePassword(services, user))) {
    throw await recordFailedSignIn(services, login, browser, 'Password authentication is unavailable.');
  }
  await refuseBlocked(services, user, login, browser);
  if (await mustConfirm(services, user)) throw await recordFailedSignIn(services, login, browser, unconfirmed);
  if (await isGenerated(services, password)) {
    await services.db.write((trx) => changeUser(services, trx, user, { password_expires_at: Date.now() }));
  }
  return completeSignIn(services, user, browser, { asksForCode: true, remember });
}

/** Signs in a user authenticated elsewhere; `asksForCode` decides whether the second factor is still required. */
export async function signInAuthenticated(
  services: Services,
  user: User,
  { asksForCode }: { readonly asksForCode: boolean },
  browser: Browser,
): Promise<NewSession | PendingSignIn> {
  await refuseBlocked(services, user, user.username, browser);
  return completeSignIn(services, user, browser, { asksForCode, remember: false });
}

function completeSignIn(
  services: Services,
  user: User,
  browser: Browser,
  { asksForCode, remember }: { readonly asksForCode: boolean; readonly remember: boolean },
): Promise<NewSession | PendingSignIn> {
  return services.db.write(async (trx) => {
    // Uses the current row: enabling a second factor concurrently has revoked earlier sessions, but not this new one.
    const current = await lockRow(trx, 'users', user.id);
    if (asksForCode && current?.two_factor_enabled === 1) return createPendingSignIn(services, user, remember);
    return createSessionIn(services, trx, user, browser, { signsIn: true, remember });
  });
}

async function refuseBlocked(services: Services, user: User, login: string, browser: Browser): Promise<void> {
  const reason = signInBlockReason(services, user);
  if (reason !== undefined) throw await recordFailedSignIn(services, login, browser, reason);
}

/** Rate-limits sign-in attempts per address; passwords and codes share the limit. */
export async function limitAttempts({ limits }: Services, { ip }: Browser): Promise<void> {
  const { exceeded } = await limits.count('user_sign_in', ip, attempts);
  if (exceeded) throw new SignInRefused('Too many attempts from your address. Wait a minute, then try again.');
}

/**
 * Returns why an account cannot sign in. A deactivated account is reactivated by signing in, and an expired password
 * leads to a password change.
 */
export function signInBlockReason({ externalUrl }: Services, user: User): string | undefined {
  const state = user.state === 'deactivated' ? 'active' : user.state;
  return accountRefusal({ ...user, state, password_expires_at: null }, externalUrl);
}

/** Whether passwords may be used on the web pages; directory passwords always may. */
async function mayUsePassword(services: Services, user: User): Promise<boolean> {
  const { password_authentication_enabled_for_web: enabled } = await services.settings.read();
  return enabled || hasDirectoryPassword(services, services.db.read, user);
}

const longestLogin = 255;
const unconfirmed = 'Confirm your address first: follow the link in the email that was sent to it.';

/** Records a failed sign-in and returns the error. */
export async function recordFailedSignIn({ db, announce }: Services, login: string, { ip }: Browser, reason: string) {
  const user = await findUserByName(db.read, login);
  await db.write((trx) => announce(trx, 'sign-in.failed', { login: login.slice(0, longestLogin), user, ip }));
  return new SignInRefused(reason);
}

/** Whether the password is the initial one, which is stored in a file and must be replaced. */
async function isGenerated({ config }: Services, password: string): Promise<boolean> {
  const path = join(config.data, 'root-password');
  if (!existsSync(path)) return false;
  return safeEqual((await readFile(path, 'utf8')).trim(), password);
}

interface Beginning {
  readonly signsIn: boolean;
  readonly remember: boolean;
}

/** Creates a session within a transaction. */
export async function createSessionIn(
  services: Services,
  trx: Writer,
  user: User,
  browser: Browser,
  { signsIn, remember }: Beginning,
): Promise<NewSession> {
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

/** Whether the account was used from this address or browser before. The first sign-in counts as known. */
async function isKnown(trx: Writer, user: User, { ip, cookie }: Browser): Promise<boolean> {
  if (user.sign_in_count === 0 || user.current_sign_in_ip === ip || user.last_sign_in_ip === ip) return true;
  const former = sessionCookie(cookie);
  return hasKnownSession(trx, user.id, ip, former === undefined ? undefined : digest(former));
}

/** Ends the session of a cookie, if any. */
export async function signOut({ db }: Services, cookie: string | undefined): Promise<void> {
  const secret = sessionCookie(cookie);
  if (secret !== undefined) await db.write((trx) => deleteByDigest(trx, digest(secret)));
}

/** Returns the signed-in user after verifying the password again. */
export async function verifyOwner(services: Services, user: User, password: string, browser: Browser): Promise<User> {
  await limitAttempts(services, browser);
  const proven = await checkPassword(services, user.username, password);
  if (proven?.id !== user.id) throw new SignInRefused('The current password is incorrect.');
  return proven;
}

/** Why the user cannot choose another password here, if so. One that has expired must be replaced even so. */
export async function passwordLock(services: Services, user: User): Promise<string | undefined> {
  if (user.password_expires_at !== null && user.password_expires_at <= Date.now()) return undefined;
  if (!(await hasDirectoryPassword(services, services.db.read, user))) return undefined;
  return 'Your password is that of the directory of your organization. Change it there.';
}

/** Changes the caller's password. All sessions are revoked, and this browser gets a new one. */
export async function changeOwnPassword(
  services: Services,
  user: User,
  passwords: { readonly current: string; readonly next: string },
  browser: Browser,
): Promise<NewSession> {
  const lock = await passwordLock(services, user);
  if (lock !== undefined) throw new SignInRefused(lock);
  const proven = await verifyOwner(services, user, passwords.current, browser);
  if (passwords.next === passwords.current)
    throw new SignInRefused('The new password must differ from the current one.');
  await setPassword(services, proven, passwords.next);
  return services.db.write((trx) =>
    createSessionIn(services, trx, proven, browser, { signsIn: false, remember: true }),
  );
}
