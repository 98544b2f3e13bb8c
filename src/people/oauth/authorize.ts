import { readScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { checkAdministrator } from './administrators.ts';
import { newSecret } from './applications.ts';
import { OAuthError, wrongScope } from './errors.ts';
import { challengeMethods, isChallenge, isRedirectOf, redirectAddresses, scopesFor } from './rules.ts';
import { applicationByUid, insertGrant } from './store.ts';
import type { OAuthApplication } from './tables.ts';

const codeLife = 600_000;
const longestNonce = 1000;

/** An authorization request of an application. */
export interface AuthorizationRequest {
  readonly application: OAuthApplication;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly challenge: string | undefined;
  readonly method: string;
  readonly nonce: string | undefined;
}

/** Validates the application and redirect URI. Until both are valid, the browser is not redirected. */
async function target({ db }: Services, params: URLSearchParams) {
  const application = await applicationByUid(db.read, params.get('client_id') ?? '');
  if (!application) throw new OAuthError('invalid_client', 'No application has this client_id.');
  const known = redirectAddresses(application.redirect_uri);
  const redirectUri = params.get('redirect_uri') ?? (known.length === 1 ? known[0] : undefined);
  if (redirectUri === undefined || !isRedirectOf(redirectUri, application.redirect_uri))
    throw new OAuthError('invalid_request', 'The redirect_uri is not registered for this application.');
  return { application, redirectUri, state: params.get('state') ?? undefined };
}

function challengeOf(params: URLSearchParams, { confidential }: OAuthApplication) {
  const challenge = params.get('code_challenge') ?? undefined;
  const method = params.get('code_challenge_method') ?? 'plain';
  if (challenge === undefined) {
    // Without a client secret, PKCE protects against an intercepted code.
    if (confidential === 0) throw new OAuthError('invalid_request', 'code_challenge is missing');
    return { challenge, method };
  }
  if (!isChallenge(challenge)) throw new OAuthError('invalid_request', 'code_challenge is invalid');
  if (!challengeMethods.some((each) => each === method))
    throw new OAuthError('invalid_request', 'code_challenge_method is neither S256 nor plain');
  return { challenge, method };
}

/** An error reported to the application through its redirect URI. */
export class AuthorizationRedirectError extends Error {
  override readonly name = 'ToldElsewhere';
  readonly address: string;

  constructor(address: string) {
    super('told elsewhere');
    this.address = address;
  }
}

function answered(redirectUri: string, state: string | undefined, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state === undefined ? {} : { state }) }))
    url.searchParams.set(name, value);
  return url.href;
}

async function reportByRedirect<T>(redirectUri: string, state: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) throw new AuthorizationRedirectError(answered(redirectUri, state, error.body));
    throw error;
  }
}

/** Parses an authorization request. Errors are reported to the application once its redirect URI is validated. */
export async function readAuthorization(services: Services, params: URLSearchParams): Promise<AuthorizationRequest> {
  const { application, redirectUri, state } = await target(services, params);
  return reportByRedirect(redirectUri, state, async () => {
    if (params.get('response_type') !== 'code')
      throw new OAuthError('unsupported_response_type', 'Only the response_type code is supported.');
    const scopes = scopesFor(params.get('scope') ?? undefined, readScopes(application.scopes));
    if (!scopes) throw wrongScope();
    const nonce = params.get('nonce')?.slice(0, longestNonce);
    return { application, redirectUri, state, scopes, nonce, ...challengeOf(params, application) };
  });
}

/** Authorizes the application; returns the redirect URL with the authorization code. */
export async function grantAuthorization(
  services: Services,
  user: User,
  { application, redirectUri, state, scopes, challenge, method, nonce }: AuthorizationRequest,
): Promise<string> {
  const { db } = services;
  await reportByRedirect(redirectUri, state, () => checkAdministrator(services, user, application, scopes));
  const code = newSecret();
  const now = Date.now();
  await db.write((trx) =>
    insertGrant(trx, {
      application_id: application.id,
      user_id: user.id,
      digest: digest(code),
      redirect_uri: redirectUri,
      scopes: JSON.stringify(scopes),
      challenge: challenge ?? null,
      challenge_method: challenge === undefined ? null : method,
      nonce: nonce ?? null,
      family: newSecret(),
      used: 0,
      created_at: now,
      expires_at: now + codeLife,
    }),
  );
  return answered(redirectUri, state, { code });
}

export function denyAuthorization({ redirectUri, state }: AuthorizationRequest): string {
  const denied = new OAuthError('access_denied', 'The resource owner denied the request.');
  return answered(redirectUri, state, denied.body);
}
