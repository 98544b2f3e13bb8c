import { createHash } from 'node:crypto';
import { tokenScopes } from '../../access/credentials/scopes.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { safeEqual } from '../../platform/secrets/tokens.ts';

/** The scopes that a program may ask for: those of tokens, and those that tell it who somebody is. */
export const oauthScopes: readonly string[] = [
  ...tokenScopes.filter((scope) => scope !== 'self_rotate'),
  'openid',
  'profile',
  'email',
];

/** The scopes named in a text; undefined for what no scope is called. */
export function readScopeText(text: string): string[] | undefined {
  const named = [...new Set(text.split(/[\s,+]+/).filter((word) => word !== ''))];
  return named.every((scope) => oauthScopes.includes(scope)) ? named : undefined;
}

const whoSomebodyIs: readonly string[] = ['openid', 'profile', 'email', 'read_user'];

/** May a program do more with these scopes than know who somebody is? */
export const actsFor = (scopes: readonly string[]) => scopes.some((scope) => !whoSomebodyIs.includes(scope));

const defaultScope = 'api';

/** What a program gets that asks for these of the scopes it was made with; undefined where it may not. */
export function scopesFor(asked: string | undefined, allowed: readonly string[]): string[] | undefined {
  const wanted = readScopeText(asked?.trim() ? asked : defaultScope);
  return wanted && wanted.length > 0 && wanted.every((scope) => allowed.includes(scope)) ? wanted : undefined;
}

export function redirectAddresses(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

/** Addresses that a browser would carry out instead of going there. */
const carriedOut = /^(javascript|data|vbscript|file|blob|about):$/i;

function addressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be an absolute URI.';
  const { protocol, hash, host } = new URL(address);
  if (hash !== '' || address.includes('#')) return 'cannot contain a fragment.';
  if (carriedOut.test(protocol)) return 'is forbidden by the server.';
  return /^https?:$/.test(protocol) && host === '' ? 'must be an absolute URI.' : undefined;
}

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?(?=[/?]|$)/;

/** Is this one of the addresses that a program was made with? On the own machine any port is as good as another. */
export function isRedirectOf(address: string, registered: string): boolean {
  const portless = (text: string) => text.replace(loopback, 'http://$1');
  return redirectAddresses(registered).some(
    (known) =>
      known === address || (loopback.test(known) && loopback.test(address) && portless(known) === portless(address)),
  );
}

/** A program to be made. */
export interface ApplicationInput {
  readonly name: string;
  readonly redirect_uri: string;
  readonly scopes: string;
}

const longest = { name: 255, address: 8192 };

/** Attribute -> what is wrong with it. */
export function applicationProblems({ name, redirect_uri, scopes }: ApplicationInput): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const add = (key: string, problem: string | undefined) => {
    if (problem !== undefined) problems[key] = [...(problems[key] ?? []), problem];
  };
  add('name', name.trim() === '' ? "can't be blank" : tooLong(name, longest.name));
  const addresses = redirectAddresses(redirect_uri);
  add('redirect_uri', addresses.length === 0 ? "can't be blank" : tooLong(redirect_uri, longest.address));
  for (const address of addresses) add('redirect_uri', addressProblem(address));
  const named = readScopeText(scopes);
  add('scopes', named === undefined ? "doesn't match configured on the server." : undefined);
  if (named?.length === 0) add('scopes', "can't be blank");
  return problems;
}

export const challengeMethods = ['S256', 'plain'] as const;

/** What a program sends along so that nobody else can use the code: unreserved characters, as the standard has it. */
export const isChallenge = (text: string) => /^[A-Za-z0-9._~-]{43,128}$/.test(text);

/** Does whoever brings the code know what it was asked for with? */
export function provesChallenge(challenge: string, method: string | null, verifier: string): boolean {
  if (!isChallenge(verifier)) return false;
  const shown = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return safeEqual(shown, challenge);
}

// Without vowels there are no words; without these digits and letters nothing is misread.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** What somebody types who lets a device act for them. */
export function userCodeFrom(bytes: Uint8Array): string {
  return [...bytes].map((byte) => letters[byte % letters.length]).join('');
}

export const readUserCode = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, '');
