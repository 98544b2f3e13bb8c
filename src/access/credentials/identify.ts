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
import { unusable } from './account-state.ts';
import type { DeployTokenLookup } from './deploy-tokens.ts';
import type { LastUse } from './last-use.ts';
import { readCredentials } from './request-credentials.ts';
import { readScopes, scopesCover, scopesNamed } from './scopes.ts';
import { isSecondFactorOverdue } from './second-factor-enforcement.ts';
import { csrfMatches, findSession, sessionCookie } from './sessions.ts';
import { TermsNotAccepted, termsRefusal } from './terms-enforcement.ts';
import { revokeFamily } from './token-families.ts';

/** The seam for jobs: finds the running job that a token belongs to. */
export type JobTokenLookup = (token: string) => Promise<{ user: User; job: NonNullable<Actor['job']> } | undefined>;

export interface IdentifyOptions {
  readonly db: Database;
  readonly externalUrl: string;
  readonly settings: InstanceSettings;
  readonly lastUse: LastUse;
  readonly jobToken?: JobTokenLookup;
  readonly deployToken?: DeployTokenLookup;
  /** The token that a sealed one stands for. */
  readonly unseal?: (sealed: string) => string | undefined;
  /** Counts credentials of programs that were wrong; whether there were too many from an address. */
  readonly isGuessing?: (ip: string) => Promise<boolean>;
  /** Puts on record that an administrator writes as somebody else. */
  readonly actsAs?: (by: User, user: User, call: string) => Promise<void>;
}

type Sent = Readonly<Record<string, unknown>>;

const cached = { cached: true };

const tokenByDigest = statement(
  (db, param: Param<{ digest: string }>) =>
    db.selectFrom('access_tokens').selectAll().where('digest', '=', param('digest')),
  cached,
);
/** No other kind of token looks like it. */
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

/** The user with this number; nobody where there is none. */
export async function findUser(db: Reader, id: number | null | undefined): Promise<User | undefined> {
  return id == null ? undefined : userById.first(db, { id });
}

/** The user with this name, in any case. */
export async function findUserByName(db: Reader, username: string): Promise<User | undefined> {
  return userByName.first(db, { username: username.toLowerCase() });
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Whom `sudo` names. A list or a hash names nobody there is: passed over, it would let the administrator's own call through. */
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

/** Whoever installs with npm has but one place for a token, whichever it is. */
const deployTokenIn = (bearer: string | undefined) => (bearer?.startsWith('gldt-') ? bearer : undefined);
const isJobToken = (token: string) => token.startsWith('glcbt-');
/** Runners up to 17 send their own token where people send theirs, beside the one in the body, which is what counts. */
const isRunnerToken = (token: string) => /^glrtr?-/.test(token);

/** A token row with its owner; undefined when nobody has this token. */
export async function findToken(db: Reader, plain: string): Promise<[AccessToken, User] | undefined> {
  const token = await tokenByDigest.first(db, { digest: digest(plain) });
  if (!token) return undefined;
  const user = await userById.first(db, { id: token.user_id });
  return user && [token, user];
}

/** A program that somebody lets act for them, by what it was given; undefined when it was given nothing like it. */
export async function findOAuthToken(db: Reader, plain: string): Promise<[OAuthToken, User] | undefined> {
  if (!oauthToken.test(plain)) return undefined;
  const token = await oauthTokenByDigest.first(db, { digest: digest(plain) });
  const user = token && (await userById.first(db, { id: token.user_id }));
  return user && [token, user];
}

/** A token by its number, in whatever state it is. */
export async function findTokenById(db: Reader, id: number): Promise<AccessToken | undefined> {
  return tokenById.first(db, { id });
}

/** Is the token past its day? It dies at the start of it. */
export function isExpired(token: { expires_at: number | null }, now = Date.now()): boolean {
  return token.expires_at !== null && token.expires_at <= now;
}

/** Refuses a token that is expired or revoked. */
export function checkTokenState(token: Pick<AccessToken, 'expires_at' | 'revoked'>): void {
  if (isExpired(token)) {
    throw new InvalidToken('Token is expired. You can either do re-authorization or token refresh.');
  }
  if (token.revoked) throw wasRevoked();
}

/** What whoever presents a revoked token is told. */
export function wasRevoked(): InvalidToken {
  return new InvalidToken('Token was revoked. You have to re-authorize from the user.');
}

/** The scopes of a stored token. */
export function scopeSet(stored: string): ReadonlySet<string> {
  return new Set(readScopes(stored));
}

/** Has an administrator put an end to the access tokens of people? Those of bots are a project's or group's. */
export async function takesNoToken(settings: InstanceSettings, { kind }: User): Promise<boolean> {
  return kind === 'human' && (settings.known() ?? (await settings.read())).disable_personal_access_tokens;
}

/** Makes the function that turns a request into the one who sent it, by the documented order of carriers. */
export function createIdentify(options: IdentifyOptions) {
  const { db, lastUse, jobToken, settings } = options;

  async function byJobToken(plain: string, ip: string): Promise<Actor | undefined> {
    const found = await jobToken?.(plain);
    return found && { user: found.user, carrier: 'job', scopes: new Set(['api']), job: found.job, ip };
  }

  /** A deploy token, where one may call; undefined when it is none, or is no more. */
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

  /** HTTP Basic, as programs that fetch packages send it: tokens under any name, and never an account's password. */
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
    if (await takesNoToken(settings, user)) throw new Unauthorized();
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
    const reason = unusable(user, options.externalUrl);
    if (reason !== undefined) throw new Forbidden(reason);
    const terms = await termsRefusal(options, user);
    if (terms !== undefined) throw new TermsNotAccepted(terms);
  }

  /** Whoever a token acts for, where it and they are good for what is asked. */
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

  /** A browser's cookie. A write must prove that a page of ours sent it: other sites can make a browser send cookies. */
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
      // Before it is done: what is done as somebody else never stands alone on their record.
      const [path = ''] = request.originalUrl.split('?', 1);
      await options.actsAs?.(other.impersonator, other.user, `${request.method} ${path.slice(0, 500)}`);
    }
    return other;
  };
}

/** `sudo`: an administrator acts as another user. */
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
  const reason = unusable(user, externalUrl);
  if (reason !== undefined) throw new Forbidden(reason);
  return { ...actor, user, impersonator: actor.user };
}
