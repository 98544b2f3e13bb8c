import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../../../access/credentials/sessions.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { escapeHtml } from '../../../platform/http/responses/html.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { pagesAddress } from '../addresses.ts';
import { domainNamed } from '../domains/store.ts';
import { isServed } from '../domains/verification.ts';
import { encryptToken } from './pass.ts';

/**
 * Sign-in path, used both on the main server, which authenticates the user, and on Pages hosts, which receive the
 * result.
 */
export const signInPath = '/-/pages/auth';
const codeLifetimeMs = 60_000;

/** Validates that an origin is a Pages host; codes are not sent anywhere else. */
async function siteHost(services: Services, origin: string): Promise<URL> {
  const place = pagesAddress(services);
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '';
  if (!place || !isWeb) throw new BadRequest('origin is not a Pages host');
  if (url.hostname.endsWith(`.${place.domain}`)) return url;
  const own = await domainNamed(services.db.read, url.hostname);
  if (!own || !(await isServed(services, own))) throw new BadRequest('origin is not a Pages host');
  return url;
}

/**
 * Redirects to a site with a page instead of a 302: the preceding sign-in form may not navigate to other hosts. If a
 * script sent the form, the page makes it reload in the browser.
 */
function redirectByPage(reply: FastifyReply, { href }: URL): FastifyReply {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="turbo-visit-control" content="reload"><title>Signed in</title></head>
<body><p><a href="${escapeHtml(href)}">Continue to the site</a></p></body></html>\n`;
  reply.header('refresh', `0; url=${href}`).header('content-security-policy', "default-src 'none'");
  return reply.type('text/html; charset=utf-8').send(page);
}

/** Redirects users who have not accepted the terms of use to the terms, and back afterwards. */
export function redirectToTerms(
  { externalUrl }: Services,
  { originalUrl }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  return reply.redirect(`${externalUrl}/-/users/terms?redirect=${encodeURIComponent(originalUrl)}`, 302);
}

/** Identifies the user to a Pages host by redirecting back with a code, after signing in if necessary. */
export function signInRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/pages/auth',
    tag: 'pages',
    summary: 'Sign in to a Pages site',
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
      const pass = { session: digest(cookie), host: url.hostname, state, until: Date.now() + codeLifetimeMs };
      const target = new URL(signInPath, url);
      target.searchParams.set('code', encryptToken(services.encryption, 'code', pass));
      target.searchParams.set('state', state);
      return request.headers['sec-fetch-site'] === 'same-origin'
        ? redirectByPage(reply, target)
        : reply.redirect(target.href, 302);
    },
  });
}
