import { type Actor, anonymous } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import {
  arePersonalTokensDisabled,
  findOAuthToken,
  findToken,
  findUserByName,
  isExpired,
  type JobTokenLookup,
  scopeSet,
} from '../../access/credentials/identify.ts';
import type { LastUse } from '../../access/credentials/last-use.ts';
import type { Credentials } from '../../access/credentials/request-credentials.ts';
import { isSecondFactorOverdue } from '../../access/credentials/second-factor-enforcement.ts';
import { termsRefusal } from '../../access/credentials/terms-enforcement.ts';
import { exceedsFailedSignInLimit } from '../../access/limits/wrong-credentials.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { deployTokenActor } from '../deploy/public.ts';
import { readLfsToken } from '../lfs/public.ts';
import { GitRefusal } from './refusal.ts';

/** Checks the password of an account, subject to account locks; undefined if it is wrong. */
export type PasswordCheck = (login: string, password: string, ip: string) => Promise<User | undefined>;

export interface AuthenticateOptions {
  readonly services: Services;
  readonly lastUse: LastUse;
  readonly jobToken?: JobTokenLookup;
  readonly checkPassword?: PasswordCheck;
}

/** Authenticates a git or LFS request from an IP address. */
export type Authenticate = (credentials: Credentials, ip: string) => Promise<Actor>;

const ownToken = /^gl(?:pat|dt|cbt)-/;
const maxLoginLength = 255;
const everything: ReadonlySet<string> = new Set(['api']);

/** Returns a function that authenticates credentials in the documented order. Wrong ones throw 401. */
export function createAuthenticate({ services, lastUse, jobToken, checkPassword }: AuthenticateOptions): Authenticate {
  const { db, externalUrl } = services;

  function usable(user: User): User {
    const reason = accountRefusal(user, externalUrl);
    if (reason !== undefined) throw GitRefusal.forbidden(reason);
    return user;
  }

  /** Users themselves, but not their CI jobs, must also have accepted the terms. */
  async function requireTermsAccepted(user: User): Promise<User> {
    const reason = await termsRefusal(services, usable(user));
    if (reason !== undefined) throw GitRefusal.forbidden(reason);
    return user;
  }

  async function byJobToken(token: string): Promise<Actor | undefined> {
    const found = await jobToken?.(token);
    return found && { user: usable(found.user), carrier: 'job', scopes: everything, job: found.job };
  }

  async function byToken(plain: string, ip: string): Promise<Actor | undefined> {
    const found = await findToken(db.read, plain);
    if (!found) return undefined;
    const [token, user] = found;
    if (token.revoked === 1 || isExpired(token) || (await arePersonalTokensDisabled(services.settings, user)))
      return undefined;
    await requireTermsAccepted(user);
    lastUse.record(token, user, ip);
    return { user, carrier: 'token', scopes: scopeSet(token.scopes), token };
  }

  async function byOAuthToken(plain: string): Promise<Actor | undefined> {
    const found = await findOAuthToken(db.read, plain);
    if (!found) return undefined;
    const [token, user] = found;
    if (token.revoked === 1 || isExpired(token)) return undefined;
    lastUse.recordActivity(await requireTermsAccepted(user), Date.now());
    return { user, carrier: 'token', scopes: scopeSet(token.scopes) };
  }

  async function byPassword(username: string, password: string, ip: string): Promise<Actor | undefined> {
    // Do not check an expired token as a password: it is expensive and counts towards locking the account.
    if (username === '' || ownToken.test(password)) return undefined;
    if (!(await services.settings.read()).password_authentication_enabled_for_git) return undefined;
    const user = await checkPassword?.(username, password, ip);
    if (!user) return undefined;
    // There is no way to ask for a second factor here, and it must not be bypassed.
    const isMissing = await isSecondFactorOverdue(services, user);
    if (isMissing || user.two_factor_enabled === 1) throw GitRefusal.tokenNeeded(externalUrl);
    return { user: await requireTermsAccepted(user), carrier: 'password', scopes: everything };
  }

  async function basic(username: string, password: string, ip: string): Promise<Actor | undefined> {
    if (username === 'gitlab-ci-token') {
      // semantic-release and Renovate send personal access tokens under this name, too.
      return (await byJobToken(password)) ?? (await byToken(password, ip)) ?? (await byOAuthToken(password));
    }
    return (
      (await readLfsToken(services, username, password)) ??
      // Accept a token with any user name, even an empty one: http://:token@host is common.
      (await byToken(password, ip)) ??
      (await byOAuthToken(password)) ??
      (await deployTokenActor(db, password, username)) ??
      (await byPassword(username, password, ip))
    );
  }

  /** Records a failed password sign-in. Expired tokens are not recorded, as they are no attack on an account. */
  async function recordFailure(username: string, password: string, ip: string): Promise<void> {
    if (username === '' || username === 'gitlab-ci-token' || ownToken.test(password)) return;
    const login = username.slice(0, maxLoginLength);
    const user = await findUserByName(db.read, login);
    await db.write((trx) => services.announce(trx, 'sign-in.failed', { login, user, ip }));
  }

  return async (credentials, ip) => {
    if (credentials.kind === 'none') return { ...anonymous, ip };
    const actor =
      credentials.kind === 'basic'
        ? await basic(credentials.username, credentials.password, ip)
        : credentials.kind === 'token'
          ? ((await byJobToken(credentials.token)) ??
            (await byToken(credentials.token, ip)) ??
            (await byOAuthToken(credentials.token)))
          : undefined;
    if (actor) return { ...actor, ip };
    if (await exceedsFailedSignInLimit(services, ip))
      throw new GitRefusal(429, 'Too many wrong credentials. Retry later.');
    if (credentials.kind === 'basic') await recordFailure(credentials.username, credentials.password, ip);
    throw GitRefusal.denied();
  };
}
