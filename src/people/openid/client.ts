import { LRUCache } from 'lru-cache';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { Services } from '../../access/services.ts';
import { perServer } from '../../platform/per-server.ts';
import { Declined, type Flow, ProviderFailed } from '../sign-in-providers/public.ts';
import { type Claims, mergeClaims } from './claims.ts';
import type { Provider } from './provider.ts';

const hour = 3_600_000;
const maxBytes = 1_000_000;
const timeoutsMs = { headers: 10_000, body: 10_000, total: 15_000 };

/**
 * Sends the library's requests through the egress filter, which blocks the internal network and limits size and time.
 */
function fetchBy({ egress }: Services): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await egress.fetch(url, {
      method,
      headers,
      ...(body && { body: String(body) }),
      ...(signal && { signal }),
      maxBytes,
      timeoutsMs,
    });
    const text = await answer.text();
    const type = answer.headers['content-type'];
    return new Response(text === '' ? null : text, {
      status: answer.status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  };
}

// Provider metadata rarely changes; it is cached and fetched again after a failure. Keys are fetched each time.
const known = perServer((_services: Services) => new LRUCache<string, ServerMetadata>({ max: 100, ttl: hour }));

// Loaded on the first sign-in, because most servers have no provider.
const library = () => import('openid-client');

async function configurationOf(services: Services, provider: Provider): Promise<Configuration> {
  const oidc = await library();
  const { issuer, clientId, clientSecret } = provider;
  const fetching = { [oidc.customFetch]: fetchBy(services), timeout: timeoutsMs.total / 1000 };
  // The settings accept such an issuer on the loopback interface only.
  const inTheClear = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
  let metadata = known(services).get(provider.name);
  if (!metadata) {
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      ...fetching,
      execute: inTheClear,
    });
    metadata = found.serverMetadata();
    known(services).set(provider.name, metadata);
  }
  const posts = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post');
  const proof = posts ? oidc.ClientSecretPost(clientSecret) : oidc.ClientSecretBasic(clientSecret);
  const configuration = new oidc.Configuration(
    metadata,
    clientId,
    undefined,
    clientSecret === undefined ? oidc.None() : proof,
  );
  configuration[oidc.customFetch] = fetching[oidc.customFetch];
  configuration.timeout = fetching.timeout;
  for (const extend of inTheClear) extend(configuration);
  // Without this the library trusts the TLS connection and does not verify the signature.
  oidc.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Wraps any failure as `ProviderFailed`. */
async function wrapFailures<T>(services: Services, provider: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Declined) throw error;
    known(services).delete(provider.name);
    throw new ProviderFailed(`sign-in through ${provider.name} failed`, { cause: error });
  }
}

/** Redirect URI of a provider. */
export const callbackOf = ({ externalUrl }: Services, { name }: Provider) =>
  `${externalUrl}/users/auth/${name}/callback`;

/** Returns the authorization URL. */
export function authorizationUrl(services: Services, provider: Provider, flow: Flow): Promise<string> {
  return wrapFailures(services, provider, async () => {
    const oidc = await library();
    const configuration = await configurationOf(services, provider);
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callbackOf(services, provider),
      scope: provider.scopes.join(' '),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    });
    return address.href;
  });
}

/** Returns the verified claims for the response that the browser brought back. */
export function claimsFrom(
  services: Services,
  provider: Provider,
  flow: Flow,
  answer: URLSearchParams,
): Promise<Claims> {
  return wrapFailures(services, provider, async () => {
    if (answer.get('error') === 'access_denied') throw new Declined('access_denied');
    const oidc = await library();
    const configuration = await configurationOf(services, provider);
    const address = new URL(`${callbackOf(services, provider)}?${answer}`);
    const tokens = await oidc.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new TypeError('the token contains no claims');
    const { userinfo_endpoint: more } = configuration.serverMetadata();
    const userInfo = more ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
    return mergeClaims(userInfo, claims);
  });
}
