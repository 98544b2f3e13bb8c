import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../../access/actor.ts';
import type { PageContext } from '../../../access/area.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findSessionOf } from '../../../access/credentials/sessions.ts';
import { termsRefusal } from '../../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../../access/services.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { randomToken, safeEqual } from '../../../platform/secrets/tokens.ts';
import { decryptPass, decryptSignInState, encryptToken } from './pass.ts';
import { signInPath, signInRoute } from './sign-in.ts';

const visitCookie = 'hearth_pages';
const errandCookie = 'hearth_pages_errand';
const minute = 60_000;
/** After this time the main server is asked again, which is transparent to signed-in browsers. */
const visitLifetimeMs = 10 * minute;
const signInLifetimeMs = 10 * minute;

/** A parsed request to a Pages host. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Lowercase, without port. */
  readonly host: string;
  /** Decoded path segments, without empty ones. */
  readonly parts: readonly string[];
  /** Whether the path ends with a slash. */
  readonly folder: boolean;
}

function cookie({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Identifies the visitor; undefined for an access token that is not valid here. */
export async function visitorOf(
  services: Services,
  identify: PageContext['identify'],
  { request, host }: Visit,
): Promise<Actor | undefined> {
  const pass = decryptPass(services.encryption, 'visit', cookie(request, visitCookie), host);
  // Cookies of the main server must have no effect on other hosts.
  delete request.headers.cookie;
  if (request.headers.authorization !== undefined) {
    return identify(request, {}, signInRoute(services)).catch((error: unknown) => {
      if (error instanceof HttpError) return undefined;
      throw error;
    });
  }
  const found = pass && (await findSessionOf(services.db.read, pass.session));
  if (!found || accountRefusal(found.user, services.externalUrl) !== undefined) return { ...anonymous, ip: request.ip };
  if ((await termsRefusal(services, found.user)) !== undefined) return { ...anonymous, ip: request.ip };
  return { user: found.user, carrier: 'session', scopes: new Set(['read_api']), ip: request.ip };
}

function setCookie({ reply, request }: Visit, name: string, value: string, lasts: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const life = `Max-Age=${Math.floor(lasts / 1000)}`;
  reply.header('set-cookie', `${name}=${value}; Path=/; ${life}; HttpOnly; SameSite=Lax${secure}`);
}

/** Redirects the browser to the main server to identify the user. */
export function redirectToSignIn({ encryption, externalUrl }: Services, visit: Visit): FastifyReply {
  const { request, reply, host } = visit;
  const state = randomToken(32);
  const errand = { state, host, back: request.raw.url ?? '/', until: Date.now() + signInLifetimeMs };
  setCookie(visit, errandCookie, encryptToken(encryption, 'errand', errand), signInLifetimeMs);
  const address = new URL(`${externalUrl}${signInPath}`);
  address.searchParams.set('origin', `${request.protocol}://${request.headers.host}`);
  address.searchParams.set('state', state);
  return withoutCaching(reply).redirect(address.href, 302);
}

export function withoutCaching(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
}

/** Completes sign-in: accepted only in the browser that started it, and redirects only to the requested page. */
export function completeSignIn({ encryption }: Services, visit: Visit): FastifyReply {
  const { request, reply, host } = visit;
  const { code, state } = request.query as { code?: unknown; state?: unknown };
  const errand = decryptSignInState(encryption, cookie(request, errandCookie), host);
  const pass = decryptPass(encryption, 'code', typeof code === 'string' ? code : undefined, host);
  const matches = errand && pass && typeof state === 'string';
  if (!matches || !safeEqual(state, errand.state) || !safeEqual(pass.state, errand.state)) {
    const text = 'The sign-in has expired or was started in another browser. Open the page of the site again.\n';
    return withoutCaching(reply).code(400).type('text/plain; charset=utf-8').send(text);
  }
  const note = { ...pass, until: Date.now() + visitLifetimeMs };
  setCookie(visit, visitCookie, encryptToken(encryption, 'visit', note), visitLifetimeMs);
  setCookie(visit, errandCookie, '', 0);
  return withoutCaching(reply).redirect(errand.back.replace(/^[/\\]+/, '/'), 302);
}
