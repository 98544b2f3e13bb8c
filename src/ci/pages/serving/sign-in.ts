import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../../../access/credentials/sessions.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { escapeHtml } from '../../../platform/http/responses/html.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { placeOf } from '../addresses.ts';
import { domainNamed } from '../domains/store.ts';
import { isServed } from '../domains/verification.ts';
import { seal } from './pass.ts';

/** The same on the forge, which says who somebody is, and on the hosts of sites, which are told. */
export const signInPath = '/-/pages/auth';
const codeLasts = 60_000;

/** The host of sites that an origin is; nothing is told to any other. */
async function siteHost(services: Services, origin: string): Promise<URL> {
  const place = placeOf(services);
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '';
  if (!place || !isWeb) throw new BadRequest('origin is not a host of sites');
  if (url.hostname.endsWith(`.${place.domain}`)) return url;
  const own = await domainNamed(services.db.read, url.hostname);
  if (!own || !(await isServed(services, own))) throw new BadRequest('origin is not a host of sites');
  return url;
}

/**
 * Leads on to a site by a page: whoever has just signed in comes here from a form of the forge, and those lead nowhere else.
 * Where a script sent the form, it is told to open the page anew, as the browser itself does.
 */
function goOn(reply: FastifyReply, { href }: URL): FastifyReply {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="turbo-visit-control" content="reload"><title>Signed in</title></head>
<body><p><a href="${escapeHtml(href)}">Go on to the site</a></p></body></html>\n`;
  reply.header('refresh', `0; url=${href}`).header('content-security-policy', "default-src 'none'");
  return reply.type('text/html; charset=utf-8').send(page);
}

/** Whoever has yet to accept the terms of use reads them first, and is led back from there. */
export function leadToTerms(
  { externalUrl }: Services,
  { originalUrl }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  return reply.redirect(`${externalUrl}/-/users/terms?redirect=${encodeURIComponent(originalUrl)}`, 302);
}

/** Tells a host of sites who a browser is, by sending the browser back with a code; it may have to sign in first. */
export function signInRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/pages/auth',
    tag: 'pages',
    summary: 'Sign in to a site',
    gate: { asks: { subject: 'anyone' }, enter: () => undefined },
    params: { origin: required(param.string()), state: required(param.string()) },
    responses: { 200: null, 302: null },
    async handle({ caller, params: { origin, state }, request, reply }) {
      const url = await siteHost(services, origin);
      const cookie = sessionCookie(request.headers.cookie);
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      if (caller.carrier !== 'session' || cookie === undefined) {
        const back = encodeURIComponent(request.originalUrl);
        return reply.redirect(`${services.externalUrl}/users/sign_in?redirect=${back}`, 302);
      }
      const pass = { session: digest(cookie), host: url.hostname, state, until: Date.now() + codeLasts };
      const target = new URL(signInPath, url);
      target.searchParams.set('code', seal(services.encryption, 'code', pass));
      target.searchParams.set('state', state);
      return request.headers['sec-fetch-site'] === 'same-origin'
        ? goOn(reply, target)
        : reply.redirect(target.href, 302);
    },
  });
}
