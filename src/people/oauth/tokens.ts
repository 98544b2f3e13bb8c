import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { checkPasswordOfProgram } from '../../access/credentials/passwords.ts';
import { readScopes } from '../../access/credentials/scopes.ts';
import { isSecondFactorOverdue } from '../../access/credentials/second-factor-enforcement.ts';
import type { Services } from '../../access/services.ts';
import type { OAuthToken, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { checkAdministrator } from './administrators.ts';
import { authenticateClient, newSecret } from './applications.ts';
import { pollDevice } from './devices.ts';
import { OAuthError, wrongClient, wrongGrant, wrongScope } from './errors.ts';
import { identityToken } from './identity.ts';
import { provesChallenge, scopesFor } from './rules.ts';
import * as store from './store.ts';
import type { OAuthApplication } from './tables.ts';

const life = 7_200_000;

/** Request parameters by name. */
export type RequestParams = Readonly<Record<string, string | undefined>>;

interface Issue {
  readonly application: OAuthApplication;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly family: string;
  readonly nonce?: string | null;
}

/** Issues an access token and a refresh token. */
async function issue(trx: Writer, { application, user, scopes, family }: Issue) {
  const [token, refresh] = [newSecret(), newSecret()];
  const now = Date.now();
  await store.insertToken(trx, {
    application_id: application.id,
    user_id: user.id,
    digest: digest(token),
    refresh_digest: digest(refresh),
    scopes: JSON.stringify(scopes),
    family,
    revoked: 0,
    created_at: now,
    expires_at: now + life,
  });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: life / 1000,
    refresh_token: refresh,
    scope: scopes.join(' '),
    created_at: Math.floor(now / 1000),
  };
}

async function answer(services: Services, issued: Promise<Awaited<ReturnType<typeof issue>>>, grantee: Issue) {
  const answered = await issued;
  if (!grantee.scopes.includes('openid')) return answered;
  return { ...answered, id_token: await identityToken(services, grantee) };
}

async function usableUser({ db, externalUrl }: Services, id: number): Promise<User> {
  const user = await findUser(db.read, id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) throw wrongGrant();
  return user;
}

/**
 * An authorization code can be redeemed once. If it is presented again, it may have been stolen, and all tokens of the
 * authorization are revoked.
 */
async function byCode(services: Services, application: OAuthApplication, params: RequestParams) {
  const { db } = services;
  const grant = await store.grantByDigest(db.read, digest(params.code ?? ''));
  if (!grant || grant.application_id !== application.id) throw wrongGrant();
  if (grant.used === 1) await db.write((trx) => store.revokeFamily(trx, grant.family));
  // A verifier although no challenge was sent: the challenge was removed from the authorization request.
  const isProven =
    grant.challenge === null
      ? !params.code_verifier
      : provesChallenge(grant.challenge, grant.challenge_method, params.code_verifier ?? '');
  const isGood = grant.used === 0 && grant.expires_at > Date.now() && grant.redirect_uri === params.redirect_uri;
  if (!isGood || !isProven) throw wrongGrant();
  const user = await usableUser(services, grant.user_id);
  const grantee = { application, user, scopes: readScopes(grant.scopes), family: grant.family, nonce: grant.nonce };
  const issued = await db.write(async (trx) => {
    if (await store.useGrant(trx, grant.id)) return issue(trx, grantee);
    await store.revokeFamily(trx, grant.family);
    return undefined;
  });
  if (!issued) throw wrongGrant();
  return answer(services, Promise.resolve(issued), grantee);
}

/**
 * Rotates a refresh token. If a rotated token is presented again, it may have been stolen, and all tokens of the
 * authorization are revoked.
 */
async function byRefresh(services: Services, application: OAuthApplication, params: RequestParams) {
  const { db } = services;
  const token = await store.tokenByRefreshDigest(db.read, digest(params.refresh_token ?? ''));
  if (!token || token.application_id !== application.id) throw wrongGrant();
  const held = readScopes(token.scopes);
  const scopes = params.scope ? scopesFor(params.scope, held) : held;
  if (!scopes) throw wrongScope();
  const grantee = { application, user: await usableUser(services, token.user_id), scopes, family: token.family };
  const issued = await db.write(async (trx) => {
    if (await store.revokeToken(trx, token.id)) return issue(trx, grantee);
    await store.revokeFamily(trx, token.family);
    return undefined;
  });
  if (!issued) throw wrongGrant();
  return answer(services, Promise.resolve(issued), grantee);
}

const attempts = { count: 30, period: 60_000 };

/** Resource owner password grant; refused if it would bypass a second factor. */
async function byPassword(services: Services, application: OAuthApplication, params: RequestParams, ip: string) {
  const { db, settings, limits } = services;
  if ((await limits.count('user_sign_in', ip, attempts)).exceeded)
    throw new OAuthError('temporarily_unavailable', 'Too many attempts from your address. Wait a minute.');
  const scopes = scopesFor(params.scope, readScopes(application.scopes));
  if (!scopes) throw wrongScope();
  const found = await checkPasswordOfProgram(services, params.username ?? '', params.password ?? '');
  const mayUse = (await settings.read()).password_authentication_enabled_for_web;
  const needsSecondFactor =
    found !== undefined && (found.two_factor_enabled === 1 || (await isSecondFactorOverdue(services, found)));
  if (!found || needsSecondFactor || !mayUse) {
    const login = (params.username ?? '').slice(0, 255);
    await db.write((trx) => services.announce(trx, 'sign-in.failed', { login, user: found, ip }));
    throw wrongGrant();
  }
  const grantee = { application, user: await usableUser(services, found.id), scopes, family: newSecret() };
  await checkAdministrator(services, grantee.user, application, scopes);
  return answer(
    services,
    db.write((trx) => issue(trx, grantee)),
    grantee,
  );
}

async function byDevice(services: Services, application: OAuthApplication, params: RequestParams) {
  const { db } = services;
  const device = await pollDevice(services, application, params.device_code ?? '');
  const user = await usableUser(services, device.userId);
  const grantee = { application, user, scopes: readScopes(device.scopes), family: newSecret() };
  await checkAdministrator(services, user, application, grantee.scopes);
  const issued = db.write(async (trx) => {
    if (!(await store.deleteDevice(trx, device.id))) throw wrongGrant();
    return issue(trx, grantee);
  });
  return answer(services, issued, grantee);
}

export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;

export async function exchange(services: Services, params: RequestParams, ip: string) {
  const { grant_type } = params;
  if (grant_type === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
  const application = await clientOf(services, params);
  switch (grant_type as (typeof grantTypes)[number]) {
    case 'authorization_code':
      return byCode(services, application, params);
    case 'refresh_token':
      return byRefresh(services, application, params);
    case 'password':
      return byPassword(services, application, params, ip);
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return byDevice(services, application, params);
    default:
      throw new OAuthError('unsupported_grant_type', 'The grant_type is not supported.');
  }
}

async function clientOf(services: Services, { client_id, client_secret }: RequestParams): Promise<OAuthApplication> {
  const application =
    client_id === undefined ? undefined : await authenticateClient(services, client_id, client_secret);
  if (!application) throw wrongClient();
  return application;
}

/** Finds an access or refresh token of the client. */
async function tokenOf(
  services: Services,
  application: OAuthApplication,
  text: string,
): Promise<OAuthToken | undefined> {
  const { db } = services;
  const tokenDigest = digest(text);
  const token =
    (await store.tokenByDigest(db.read, tokenDigest)) ?? (await store.tokenByRefreshDigest(db.read, tokenDigest));
  return token?.application_id === application.id ? token : undefined;
}

/** `POST /oauth/revoke`: unknown tokens are ignored. */
export async function revoke(services: Services, params: RequestParams): Promise<void> {
  const application = await clientOf(services, params);
  const token = await tokenOf(services, application, params.token ?? '');
  if (token) await services.db.write((trx) => store.revokeToken(trx, token.id));
}

const seconds = (at: number) => Math.floor(at / 1000);

export async function introspect(services: Services, params: RequestParams) {
  const application = await clientOf(services, params);
  const token = await tokenOf(services, application, params.token ?? '');
  if (!token || token.revoked === 1 || token.expires_at <= Date.now()) return { active: false };
  return {
    active: true,
    scope: readScopes(token.scopes).join(' '),
    client_id: application.uid,
    token_type: 'Bearer',
    exp: seconds(token.expires_at),
    iat: seconds(token.created_at),
  };
}

/** `GET /oauth/token/info`: describes a token to its holder. */
export async function tokenInfo({ db }: Services, token: OAuthToken) {
  const application = await store.applicationById(db.read, token.application_id);
  const left = seconds(token.expires_at - Date.now());
  return {
    resource_owner_id: token.user_id,
    scope: readScopes(token.scopes),
    expires_in: left,
    application: { uid: application?.uid ?? null },
    created_at: seconds(token.created_at),
    scopes: readScopes(token.scopes),
    expires_in_seconds: left,
  };
}
