import { createHash } from 'node:crypto';
import { tokenScopes } from '../../access/credentials/scopes.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { safeEqual } from '../../platform/secrets/tokens.ts';

/** Scopes available to applications: those of access tokens and the OpenID Connect ones. */
export const oauthScopes: readonly string[] = [
  ...tokenScopes.filter((scope) => scope !== 'self_rotate'),
  'openid',
  'profile',
  'email',
];

/** Parses a list of scopes; undefined if one of them is unknown. */
export function readScopeText(text: string): string[] | undefined {
  const named = [...new Set(text.split(/[\s,+]+/).filter((word) => word !== ''))];
  return named.every((scope) => oauthScopes.includes(scope)) ? named : undefined;
}

const identityScopes: readonly string[] = ['openid', 'profile', 'email', 'read_user'];

/** Whether the scopes allow more than identifying the user. */
export const hasNonIdentityScope = (scopes: readonly string[]) =>
  scopes.some((scope) => !identityScopes.includes(scope));

const defaultScope = 'api';

/** Returns the requested scopes if all are registered for the application; otherwise undefined. */
export function scopesFor(text: string | undefined, allowed: readonly string[]): string[] | undefined {
  const requested = readScopeText(text?.trim() ? text : defaultScope);
  return requested && requested.length > 0 && requested.every((scope) => allowed.includes(scope))
    ? requested
    : undefined;
}

export function redirectAddresses(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

/** Schemes that a browser would execute or open locally instead of navigating to them. */
const unsafeSchemes = /^(javascript|data|vbscript|file|blob|about):$/i;

function addressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be an absolute URI.';
  const { protocol, hash, host } = new URL(address);
  if (hash !== '' || address.includes('#')) return 'cannot contain a fragment.';
  if (unsafeSchemes.test(protocol)) return 'is forbidden by the server.';
  return /^https?:$/.test(protocol) && host === '' ? 'must be an absolute URI.' : undefined;
}

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?(?=[/?]|$)/;

/** Whether the redirect URI is registered. For loopback addresses any port is accepted. */
export function isRedirectOf(address: string, registered: string): boolean {
  const portless = (text: string) => text.replace(loopback, 'http://$1');
  return redirectAddresses(registered).some(
    (known) =>
      known === address || (loopback.test(known) && loopback.test(address) && portless(known) === portless(address)),
  );
}

/** Attributes of a new application. */
export interface ApplicationInput {
  readonly name: string;
  readonly redirect_uri: string;
  readonly scopes: string;
}

const longest = { name: 255, address: 8192 };

/** Validates an application; returns errors by attribute. */
export function applicationProblems({ name, redirect_uri, scopes }: ApplicationInput): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const add = (key: string, problem: string | undefined) => {
    if (problem !== undefined) problems[key] = [...(problems[key] ?? []), problem];
  };
  add('name', name.trim() === '' ? "can't be blank" : lengthProblem(name, longest.name));
  const addresses = redirectAddresses(redirect_uri);
  add('redirect_uri', addresses.length === 0 ? "can't be blank" : lengthProblem(redirect_uri, longest.address));
  for (const address of addresses) add('redirect_uri', addressProblem(address));
  const named = readScopeText(scopes);
  add('scopes', named === undefined ? "doesn't match configured on the server." : undefined);
  if (named?.length === 0) add('scopes', "can't be blank");
  return problems;
}

export const challengeMethods = ['S256', 'plain'] as const;

/** Whether the text is a valid code challenge or verifier: unreserved characters, as in RFC 7636. */
export const isChallenge = (text: string) => /^[A-Za-z0-9._~-]{43,128}$/.test(text);

/** Whether the verifier matches the code challenge. */
export function provesChallenge(challenge: string, method: string | null, verifier: string): boolean {
  if (!isChallenge(verifier)) return false;
  const shown = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return safeEqual(shown, challenge);
}

// No vowels, so that no words appear, and no characters that are easily confused.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns the user code of a device authorization. */
export function userCodeFrom(bytes: Uint8Array): string {
  return [...bytes].map((byte) => letters[byte % letters.length]).join('');
}

export const readUserCode = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, '');
