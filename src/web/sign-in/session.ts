import { cookieName } from '../../access/credentials/sessions.ts';
import type { Browser, NewSession, PendingSignIn } from '../../people/sessions/public.ts';
import type { SealedFlow } from '../../people/sign-in-providers/public.ts';
import type { Visit } from '../frame/visit.ts';

/** Validates the redirect target after signing in; only paths of this server are allowed. */
export function safeRedirectTarget(target: string | null, base: string): string {
  const home = `${base}/`;
  if (!target?.startsWith('/') || /[\\\s]/.test(target)) return home;
  const here = 'http://inside.invalid';
  const url = URL.canParse(target, here) ? new URL(target, here) : undefined;
  // A path that starts with two slashes, before or after resolving dots, refers to another host.
  if (url?.origin !== here || url.pathname.startsWith('//')) return home;
  return `${url.pathname}${url.search}`;
}

export const browserOf = ({ request }: Visit): Browser => ({
  ip: request.ip,
  userAgent: String(request.headers['user-agent'] ?? ''),
  cookie: request.headers.cookie,
});

/** Without an expiry date the cookie lasts for the browser session. */
function setCookie({ reply, services }: Visit, [name, value]: readonly [string, string], path: string, until?: number) {
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  const life = until === undefined ? '' : `; Expires=${new Date(until).toUTCString()}`;
  reply.header('set-cookie', `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${secure}${life}`);
}

const everywhere = ({ base }: Visit) => (base === '' ? '/' : base);

export const beginSession = (visit: Visit, { secret, expiresAt }: NewSession): void =>
  setCookie(visit, [cookieName, secret], everywhere(visit), expiresAt);

export const endCookie = (visit: Visit): void => setCookie(visit, [cookieName, ''], everywhere(visit), 0);

const halfwayCookie = 'hearth_second_factor';
/** Path of the cookie, which only the page for the second factor needs. */
export const codePath = '/users/sign_in/two_factor';

export const setPendingSignInCookie = (visit: Visit, { halfway, until }: PendingSignIn): void =>
  setCookie(visit, [halfwayCookie, halfway], visit.base + codePath, until);

export const clearPendingSignInCookie = (visit: Visit): void =>
  setCookie(visit, [halfwayCookie, ''], visit.base + codePath, 0);

function cookieOf({ request }: Visit, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1, 4000);
}

/** Returns the cookie of an unfinished sign-in. */
export const pendingSignInOf = (visit: Visit): string | undefined => cookieOf(visit, halfwayCookie);

const flowCookie = 'hearth_sign_in';
/** Prefix of the providers' callback URLs. */
const flowPath = '/users/auth';

export const setProviderSignInCookie = (visit: Visit, { sealed, until }: SealedFlow): void =>
  setCookie(visit, [flowCookie, sealed], visit.base + flowPath, until);

export const clearProviderSignInCookie = (visit: Visit): void =>
  setCookie(visit, [flowCookie, ''], visit.base + flowPath, 0);

/** Returns the cookie of a sign-in through a provider. */
export const providerSignInOf = (visit: Visit): string | undefined => cookieOf(visit, flowCookie);
