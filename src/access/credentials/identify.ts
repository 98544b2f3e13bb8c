import type { FastifyRequest } from 'fastify';
import type { Database, Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { AnyEndpoint } from '../../platform/http/endpoint.ts';
import {
  Forbidden,
  HttpError,
  InsufficientScope,
  InvalidToken,
  TooManyRequests,
  Unauthorized,
} from '../../platform/http/errors.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { type Actor, anonymous } from '../actor.ts';
import { sessionRenewal } from '../application-settings/effective.ts';
import type { InstanceSettings } from '../application-settings/source.ts';
import type { AccessToken, OAuthToken, User } from '../tables.ts';
import { accountRefusal } from './account-state.ts';
import type { DeployTokenLookup } from './deploy-tokens.ts';
import type { LastUse } from './last-use.ts';
import { readCredentials } from './request-credentials.ts';
import { readScopes, scopesCover, scopesNamed } from './scopes.ts';
import { isSecondFactorOverdue } from './second-factor-enforcement.ts';
import { csrfMatches, findSession, sessionCookie } from './sessions.ts';
import { TermsNotAccepted, termsRefusal } from './terms-enforcement.ts';
import { revokeFamily } from './token-families.ts';

/** Extension point for jobs: finds the running job that a token belongs to. */
export type JobTokenLookup = (token: string) => Promise<{ user: User; job: NonNullable<Actor['job']> } | undefined>;

export interface IdentifyOptions {
  readonly db: Database;
  readonly externalUrl: string;
  readonly settings: InstanceSettings;
  readonly lastUse: LastUse;
  readonly jobToken?: JobTokenLookup;
  readonly deployToken?: DeployTokenLookup;
  /** Decrypts a sealed token to the original one. */
  readonly unseal?: (sealed: string) => string | undefined;
  /** Counts a wrong credential of a program; returns whether there were too many from the address. */
  readonly isGuessing?: (ip: string) => Promise<boolean>;
  /** Records a write that an administrator makes as another user. */
  readonly actsAs?: (by: User, user: User, call: string) => Promise<void>;
}

type Sent = Readonly<Record<string, unknown>>;

const cached = { cached: true };

const tokenByDigest = statement(
  (db, param: Param<{ digest: string }>) =>
    db.selectFrom('access_tokens').selectAll().where('digest', '=', param('digest')),
  cached,
);
/** The format of OAuth tokens, distinct from all other tokens. */
const oauthToken = /^[0-9a-f]{64}$/;
const oauthTokenByDigest = statement(
  (db, param: Param<{ digest: string }>) =>
    db.selectFrom('oauth_tokens').selectAll().where('digest', '=', param('digest')),
  cached,
);
const tokenById = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('access_tokens').selectAll().where('id', '=', param('id')),
);
const userById = statement(
  (db, param: Param<{ id: number }>) => db.selectFrom('users').selectAll().where('id', '=', param('id')),
  cached,
);
const userByName = statement((db, param: Param<{ username: string }>) =>
  db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['username']), '=', param('username'))),
);

/** The user with this id; undefined if there is none. */
export async function findUser(db: Reader, id: number | null | undefined): Promise<User | undefined> {
  return id == null ? undefined : userById.first(db, { id });
}

/** The user with this name, ignoring case. */
export async function findUserByName(db: Reader, username: string): Promise<User | undefined> {
  return userByName.first(db, { username: username.toLowerCase() });
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * The user named by `sudo`. A list or hash becomes a name that does not exist: ignoring it would execute the call as
 * the administrator.
 */
function named(sudo: unknown): string | undefined {
  if (sudo === undefined || sudo === null || sudo === '') return undefined;
  return typeof sudo === 'object' ? JSON.stringify(sudo) : String(sudo);
}

function header(request: FastifyRequest, name: string): string | undefined {
  return text(request.headers[name]);
}

function bearerOf(
  request: FastifyRequest,
  sent: Sent,
  { bareToken = false }: Pick<AnyEndpoint<Actor>, 'bareToken'>,
): string | undefined {
  const value = header(request, 'authorization');
  if (value && /^bearer /i.test(value)) return value.slice(7).trim();
  if (value && bareToken && !/\s/.test(value)) return value;
  return text(sent.access_token) ?? text(sent.bearer_token);
}

/** A deploy token sent as a bearer token: npm has only one setting for tokens of any kind. */
const deployTokenIn = (bearer: string | undefined) => (bearer?.startsWith('gldt-') ? bearer : undefined);
const isJobToken = (token: string) => token.startsWith('glcbt-');
/**
 * Runners up to version 17 send their own token in the PRIVATE-TOKEN header, besides the one in the body, which is the
 * relevant one.
 */
const isRunnerToken = (token: string) => /^glrtr?-/.test(token);

/** A personal access token with its owner; undefined if it does not exist. */
export async function findToken(db: Reader, plain: string): Promise<[AccessToken, User] | undefined> {
  const token = await tokenByDigest.first(db, { digest: digest(plain) });
  if (!token) return undefined;
  const user = await userById.first(db, { id: token.user_id });
  return user && [token, user];
}

/** An OAuth token with its owner; undefined if it does not exist. */
export async function findOAuthToken(db: Reader, plain: string): Promise<[OAuthToken, User] | undefined> {
  if (!oauthToken.test(plain)) return undefined;
  const token = await oauthTokenByDigest.first(db, { digest: digest(plain) });
  const user = token && (await userById.first(db, { id: token.user_id }));
  return user && [token, user];
}

/** A personal access token by id, in any state. */
export async function findTokenById(db: Reader, id: number): Promise<AccessToken | undefined> {
  return tokenById.first(db, { id });
}

/** Whether the token has expired. It expires at the start of its expiry date. */
export function isExpired(token: { expires_at: number | null }, now = Date.now()): boolean {
  return token.expires_at !== null && token.expires_at <= now;
}

/** Throws for an expired or revoked token. */
export function checkTokenState(token: Pick<AccessToken, 'expires_at' | 'revoked'>): void {
  if (isExpired(token)) {
    throw new InvalidToken('Token is expired. You can either do re-authorization or token refresh.');
  }
  if (token.revoked) throw revokedTokenError();
}

/** The error for a revoked token. */
export function revokedTokenError(): InvalidToken {
  return new InvalidToken('Token was revoked. You have to re-authorize from the user.');
}

/** The scopes of a stored token. */
export function scopeSet(stored: string): ReadonlySet<string> {
  return new Set(readScopes(stored));
}

/**
 * Whether personal access tokens are disabled for this user. Tokens of bots belong to projects and groups, and stay
 * valid.
 */
export async function arePersonalTokensDisabled(settings: InstanceSettings, { kind }: User): Promise<boolean> {
  return kind === 'human' && (settings.known() ?? (await settings.read())).disable_personal_access_tokens;
}

/** Creates the function that authenticates a request, checking credentials in the documented order. */
export function createIdentify(options: IdentifyOptions) {
  const { db, lastUse, jobToken, settings } = options;

  async function byJobToken(plain: string, ip: string): Promise<Actor | undefined> {
    const found = await jobToken?.(plain);
    return found && { user: found.user, carrier: 'job', scopes: new Set(['api']), job: found.job, ip };
  }

  /** Authenticates a deploy token, if the endpoint accepts them; undefined if it is not a valid one. */
  async function byDeployToken(
    plain: string,
    request: FastifyRequest,
    { deployScopes = [] }: AnyEndpoint<Actor>,
  ): Promise<Actor | undefined> {
    const actor = await options.deployToken?.(plain);
    if (!actor) return undefined;
    if (!deployScopes.some((scope) => actor.scopes.has(scope))) throw new InsufficientScope(deployScopes);
    return { ...actor, ip: request.ip, userAgent: request.headers['user-agent'] };
  }

  /** Authenticates HTTP Basic as package managers send it: a token with any user name, never an account's password. */
  async function byBasic(request: FastifyRequest, endpoint: AnyEndpoint<Actor>): Promise<Actor | undefined> {
    const credentials = readCredentials(request.headers);
    if (credentials.kind === 'unreadable') throw new Unauthorized();
    if (credentials.kind !== 'basic') return undefined;
    const { username, password } = credentials;
    const found =
      username === 'gitlab-ci-token' || isJobToken(password)
        ? endpoint.jobToken && (await byJobToken(password, request.ip))
        : ((await byDeployToken(password, request, endpoint)) ?? (await byToken(password, request, endpoint)));
    return found || refuse(request.ip);
  }

  async function refuse(ip: string): Promise<never> {
    throw (await options.isGuessing?.(ip)) ? new TooManyRequests() : new Unauthorized();
  }

  async function byToken(
    plain: string,
    request: FastifyRequest,
    endpoint: AnyEndpoint<Actor>,
  ): Promise<Actor | undefined> {
    const found = await findToken(db.read, plain);
    if (!found) return undefined;
    const [token, user] = found;
    if (await arePersonalTokensDisabled(settings, user)) throw new Unauthorized();
    const rotates = endpoint.path.endsWith('/rotate');
    if (token.revoked && rotates) await revokeFamily(db, token);
    const actor = await admitted(token, user, request, endpoint);
    lastUse.record(token, user, request.ip);
    return { ...actor, token };
  }

  async function byOAuthToken(
    plain: string,
    request: FastifyRequest,
    endpoint: AnyEndpoint<Actor>,
  ): Promise<Actor | undefined> {
    const found = await findOAuthToken(db.read, plain);
    if (!found) return undefined;
    const [token, user] = found;
    const actor = await admitted(token, user, request, endpoint);
    lastUse.recordActivity(user, Date.now());
    return actor;
  }

  async function refuseUnusable(user: User): Promise<void> {
    const reason = accountRefusal(user, options.externalUrl);
    if (reason !== undefined) throw new Forbidden(reason);
    const terms = await termsRefusal(options, user);
    if (terms !== undefined) throw new TermsNotAccepted(terms);
  }

  /** The actor of a token, after checking the state and scopes of the token and the state of the user. */
  async function admitted(
    token: Pick<AccessToken, 'expires_at' | 'revoked' | 'scopes'>,
    user: User,
    request: FastifyRequest,
    endpoint: AnyEndpoint<Actor>,
  ): Promise<Actor> {
    checkTokenState(token);
    const scopes = scopeSet(token.scopes);
    await refuseUnusable(user);
    if (!scopesCover(scopes, request.method, endpoint.scopes))
      throw new InsufficientScope(scopesNamed(endpoint.scopes));
    return { user, carrier: 'token', scopes, ip: request.ip, userAgent: request.headers['user-agent'] };
  }

  /**
   * Authenticates a session cookie. Writes also need a CSRF token, because other sites can make a browser send cookies.
   */
  async function bySession(request: FastifyRequest): Promise<Actor | undefined> {
    const plain = sessionCookie(request.headers.cookie);
    if (plain === undefined) return undefined;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && !csrfMatches(plain, header(request, 'x-csrf-token'))) return undefined;
    const found = await findSession(db.read, plain);
    if (!found) return undefined;
    const { session, user } = found;
    await refuseUnusable(user);
    if (await isSecondFactorOverdue(options, user)) {
      const page = `${options.externalUrl}/-/profile/two_factor_auth`;
      throw new Forbidden(`You must enable two-factor authentication for your account at ${page}`);
    }
    lastUse.recordSession(session, user, sessionRenewal(await settings.read()));
    const scopes = new Set(['api']);
    return { user, carrier: 'session', scopes, ip: request.ip, userAgent: request.headers['user-agent'] };
  }

  async function identify(request: FastifyRequest, sent: Sent, endpoint: AnyEndpoint<Actor>): Promise<Actor> {
    const carried = bearerOf(request, sent, endpoint);
    const bearer = (endpoint.sealedToken && carried && options.unseal?.(carried)) || carried;
    const deploy = endpoint.deployScopes && (header(request, 'deploy-token') ?? deployTokenIn(bearer));
    if (deploy !== undefined) return (await byDeployToken(deploy, request, endpoint)) ?? refuse(request.ip);
    if (bearer && endpoint.jobToken) {
      const job = await byJobToken(bearer, request.ip);
      if (job) return job;
    }
    const program = bearer === undefined ? undefined : await byOAuthToken(bearer, request, endpoint);
    if (program) return program;
    const given = text(sent.private_token) ?? header(request, 'private-token') ?? bearer;
    const personal = given !== undefined && isRunnerToken(given) ? undefined : given;
    if (personal && !isJobToken(personal)) {
      const actor = await byToken(personal, request, endpoint);
      if (!actor) throw new Unauthorized();
      return actor;
    }
    const job = endpoint.jobToken
      ? (text(sent.job_token) ?? text(sent.token) ?? header(request, 'job-token') ?? personal)
      : undefined;
    if (job === undefined) {
      const basic = endpoint.deployScopes !== undefined || endpoint.basicAuth === true;
      const program = basic ? await byBasic(request, endpoint) : undefined;
      return program ?? (await bySession(request)) ?? { ...anonymous, ip: request.ip };
    }
    const actor = await byJobToken(job, request.ip);
    if (!actor) throw new Unauthorized();
    return actor;
  }

  return async (request: FastifyRequest, sent: Sent, endpoint: AnyEndpoint<Actor>): Promise<Actor> => {
    const actor = await identify(request, sent, endpoint);
    const sudo = named(sent.sudo) ?? header(request, 'sudo');
    if (sudo === undefined) return actor;
    const other = await becomeOther(db, actor, sudo, options.externalUrl);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && other.user && other.impersonator) {
      // Record before the call, so that nothing done as another user is missing from the audit record.
      const [path = ''] = request.originalUrl.split('?', 1);
      await options.actsAs?.(other.impersonator, other.user, `${request.method} ${path.slice(0, 500)}`);
    }
    return other;
  };
}

/** Implements `sudo`: an administrator acts as another user. */
async function becomeOther(db: Database, actor: Actor, who: string, externalUrl: string): Promise<Actor> {
  if (!actor.user) throw new Unauthorized();
  if (actor.carrier !== 'token') {
    throw new Forbidden('Must be authenticated using an OAuth or personal access token to use sudo');
  }
  if (actor.user.admin !== 1) throw new Forbidden('Must be admin to use sudo');
  if (!actor.scopes.has('sudo')) throw new InsufficientScope(['sudo']);
  const user = /^\d+$/.test(who)
    ? await userById.first(db.read, { id: Number(who) })
    : await userByName.first(db.read, { username: who.toLowerCase() });
  if (!user) throw new HttpError(404, { message: `404 User with ID or username '${who}' Not Found` });
  const reason = accountRefusal(user, externalUrl);
  if (reason !== undefined) throw new Forbidden(reason);
  return { ...actor, user, impersonator: actor.user };
}
