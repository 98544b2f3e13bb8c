import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../../access/actor.ts';
import type { PageContext } from '../../../access/area.ts';
import { unusable } from '../../../access/credentials/account-state.ts';
import { findSessionOf } from '../../../access/credentials/sessions.ts';
import { termsRefusal } from '../../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../../access/services.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { randomToken, safeEqual } from '../../../platform/secrets/tokens.ts';
import { openPass, openSignInState, seal } from './pass.ts';
import { signInPath, signInRoute } from './sign-in.ts';

const visitCookie = 'hearth_pages';
const errandCookie = 'hearth_pages_errand';
const minute = 60_000;
/** After that the forge is asked again, which a browser that is signed in there does not notice. */
const visitLasts = 10 * minute;
const errandLasts = 10 * minute;

/** A request for a site, as far as it is understood. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Without its port, in small letters. */
  readonly host: string;
  /** Of the path, decoded; no empty ones. */
  readonly parts: readonly string[];
  /** Whether the path ends with a slash. */
  readonly folder: boolean;
}

function cookie({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Who is visiting; undefined for a token that is good for nothing here. */
export async function visitorOf(
  services: Services,
  identify: PageContext['identify'],
  { request, host }: Visit,
): Promise<Actor | undefined> {
  const pass = openPass(services.encryption, 'visit', cookie(request, visitCookie), host);
  // A cookie of the forge, however it came here, says nothing on a host that is not the forge.
  delete request.headers.cookie;
  if (request.headers.authorization !== undefined) {
    return identify(request, {}, signInRoute(services)).catch((error: unknown) => {
      if (error instanceof HttpError) return undefined;
      throw error;
    });
  }
  const found = pass && (await findSessionOf(services.db.read, pass.session));
  if (!found || unusable(found.user, services.externalUrl) !== undefined) return { ...anonymous, ip: request.ip };
  if ((await termsRefusal(services, found.user)) !== undefined) return { ...anonymous, ip: request.ip };
  return { user: found.user, carrier: 'session', scopes: new Set(['read_api']), ip: request.ip };
}

function setCookie({ reply, request }: Visit, name: string, value: string, lasts: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const life = `Max-Age=${Math.floor(lasts / 1000)}`;
  reply.header('set-cookie', `${name}=${value}; Path=/; ${life}; HttpOnly; SameSite=Lax${secure}`);
}

/** Sends a browser to the forge, to come back with word of who it is. */
export function askForge({ encryption, externalUrl }: Services, visit: Visit): FastifyReply {
  const { request, reply, host } = visit;
  const state = randomToken(32);
  const errand = { state, host, back: request.raw.url ?? '/', until: Date.now() + errandLasts };
  setCookie(visit, errandCookie, seal(encryption, 'errand', errand), errandLasts);
  const address = new URL(`${externalUrl}${signInPath}`);
  address.searchParams.set('origin', `${request.protocol}://${request.headers.host}`);
  address.searchParams.set('state', state);
  return unkept(reply).redirect(address.href, 302);
}

export function unkept(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
}

/** A browser that comes back from the forge: only the one that was sent there, and only to where it wanted. */
export function comeBack({ encryption }: Services, visit: Visit): FastifyReply {
  const { request, reply, host } = visit;
  const { code, state } = request.query as { code?: unknown; state?: unknown };
  const errand = openSignInState(encryption, cookie(request, errandCookie), host);
  const pass = openPass(encryption, 'code', typeof code === 'string' ? code : undefined, host);
  const matches = errand && pass && typeof state === 'string';
  if (!matches || !safeEqual(state, errand.state) || !safeEqual(pass.state, errand.state)) {
    const text = 'The sign-in is too old, or was not begun in this browser. Open the page of the site again.\n';
    return unkept(reply).code(400).type('text/plain; charset=utf-8').send(text);
  }
  const note = { ...pass, until: Date.now() + visitLasts };
  setCookie(visit, visitCookie, seal(encryption, 'visit', note), visitLasts);
  setCookie(visit, errandCookie, '', 0);
  return unkept(reply).redirect(errand.back.replace(/^[/\\]+/, '/'), 302);
}
