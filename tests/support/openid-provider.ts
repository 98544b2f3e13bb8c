import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Browser, Seen } from './browser.ts';
import { type HostCall, type HostReply, type JsonHost, startJsonHost } from './json-host.ts';

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates a token signed like a provider's. */
export function signed(claims: object, key: KeyObject, header: object = {}): string {
  const head = `${part({ alg: 'RS256', kid: 'one', ...header })}.${part(claims)}`;
  return `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`;
}

export const unsigned = (claims: object): string => `${part({ alg: 'none' })}.${part(claims)}.`;

/** Overrides for the provider's responses. */
export interface Lies {
  discovery?: (honest: Record<string, unknown>, url: string) => Record<string, unknown> | HostReply;
  claims?: (honest: Record<string, unknown>) => Record<string, unknown>;
  token?: (claims: object) => string;
  reply?: (call: HostCall) => HostReply | undefined;
}

/** A configurable OpenID provider. */
export interface OpenidProvider extends JsonHost {
  readonly clientId: string;
  /** Claims of the next user to sign in. */
  person: Record<string, unknown>;
  lies: Lies;
  /** The nonce of the last request. */
  nonce: string;
  readonly key: KeyObject;
  /** Signs further tokens with a new key. */
  rotate(): void;
}

const isReply = (given: Record<string, unknown> | HostReply): given is HostReply =>
  typeof given === 'function' || 'json' in given;

export async function startOpenidProvider(): Promise<OpenidProvider> {
  let keys = pair();
  let kid = 'one';
  const answer = (call: HostCall, url: string): HostReply | undefined => {
    const lied = provider.lies.reply?.(call);
    if (lied) return lied;
    if (call.path === '/.well-known/openid-configuration') {
      const honest = {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'none'],
      };
      const told = provider.lies.discovery?.(honest, url) ?? honest;
      return isReply(told) ? told : { json: told };
    }
    if (call.path === '/keys') {
      return { json: { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] } };
    }
    if (call.path !== '/token') return undefined;
    const now = Math.floor(Date.now() / 1000);
    const honest = {
      iss: url,
      aud: provider.clientId,
      exp: now + 60,
      iat: now,
      nonce: provider.nonce,
      ...provider.person,
    };
    const claims = provider.lies.claims?.(honest) ?? honest;
    const id_token = provider.lies.token?.(claims) ?? signed(claims, keys.privateKey, { kid });
    return { json: { access_token: 'access', token_type: 'Bearer', id_token } };
  };
  const host = await startJsonHost(answer);
  const provider: OpenidProvider = {
    ...host,
    clientId: 'forge',
    person: {},
    lies: {},
    nonce: '',
    get key() {
      return keys.privateKey;
    },
    rotate() {
      keys = pair();
      kid = 'two';
    },
  };
  return provider;
}

/** The redirect target of a page. */
export function leadsTo(seen: Seen): URL {
  assert.equal(seen.status, 200, seen.text);
  return new URL((seen.headers.get('refresh') ?? '').replace(/^0; url=/, ''));
}

let codes = 0;

/** Signs in at the provider and returns to the callback. */
export async function throughProvider(
  browser: Browser,
  provider: OpenidProvider,
  name: string,
  { page, start = `/users/auth/${name}`, redirect = '' }: { page?: string; start?: string; redirect?: string } = {},
): Promise<Seen> {
  const fields = { redirect };
  const begun = page === undefined ? await browser.post(start, fields) : await browser.fill(page, start, fields);
  const address = leadsTo(begun);
  provider.nonce = address.searchParams.get('nonce') ?? '';
  const state = address.searchParams.get('state') ?? '';
  return browser.open(`/users/auth/${name}/callback?code=code${++codes}&state=${encodeURIComponent(state)}`);
}
