import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { secondFactorDue } from '../../access/credentials/second-factor-enforcement.ts';
import { csrfMatches, csrfToken, findSession, sessionCookie } from '../../access/credentials/sessions.ts';
import { mustAcceptTerms } from '../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../access/services.ts';
import { HttpError, Unauthorized } from '../../platform/http/errors.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { createFinder, type Find, mount, streamedAddresses } from './addresses.ts';
import { Api, Refusal } from './api.ts';
import { pageAppearance } from './appearance.ts';
import { assets } from './assets.ts';
import { expiredFlashCookie, flashCookie, flashMessageOf } from './flash.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { OpenPages } from './live.ts';
import { pageRate } from './rates.ts';
import { referringPage } from './return-to.ts';
import { refuseForeign } from './same-origin.ts';
import { isForm, readForm, readStreamed, readUpload } from './sent-form.ts';
import type { Outcome, Page, Visit } from './visit.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Please sign in',
  403: 'Forbidden',
  404: 'Page not found',
  409: 'It was changed in the meantime',
  413: 'That is too large',
  422: 'That cannot be done',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The server is busy',
};

function advice(visit: Visit, status: number) {
  if (status === 404 && !visit.user) {
    return html`It may not exist, or you may have to <a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">sign in</a> to see it.`;
  }
  if (status === 404) return 'It may not exist, or you may not have access to it. Check the address.';
  if (status === 429 || status === 503) return 'Wait a moment, then try again.';
  if (status >= 500) return 'Try again. If the problem persists, tell the administrator the number below.';
  return 'Go back and correct the form.';
}

/** The error page: what to do, and the request ID in the log. */
function errorPage(visit: Visit, status: number, reason = ''): Outcome {
  const title = titles[status] ?? `Error ${status}`;
  const shownReason = status === 404 || status >= 500 ? '' : reason;
  // The browser's back button may lead to the page before the form, since both have the URL of this response.
  const from = visit.request.method === 'POST' && referringPage(visit);
  return {
    status,
    page: layout(visit, {
      title,
      body: html`<section class="problem"><p class="number">${status}</p><h1>${title}</h1>${shownReason !== '' && html`<p>${shownReason}</p>`}<p>${advice(visit, status)}</p><p>${from && html`<a href="${from}">Back to the page</a> · `}<a href="${visit.base}/">Home</a> · <a href="${visit.base}/explore">Explore projects</a></p><p class="muted">Request ${visit.request.id}</p></section>`,
    }),
  };
}

const compress = promisify(gzip);

/** Content security policy: only our own resources, and no framing by other sites. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "media-src 'self' https:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Source expression of a URL in a policy; for custom schemes of native applications only the scheme. */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

const maxForm = 2_000_000;
/** Larger files must be pushed. */
const maxUpload = 10_000_000;

/**
 * Serves all pages with a catch-all route, because project paths have any number of segments. Page modules are imported
 * on the first request, so that servers used only through the API do not load them.
 */
export async function servePages(
  app: FastifyInstance,
  services: Services,
  load: () => Promise<readonly Page[]>,
): Promise<void> {
  let finder: Promise<Find> | undefined;
  const open = new OpenPages(app, services);
  const base = new URL(services.externalUrl).pathname.replace(/\/$/, '');

  async function visitOf(request: FastifyRequest, reply: FastifyReply, params: Visit['params']): Promise<Visit> {
    const address = request.originalUrl;
    const [path = '/', query = ''] = address.split(/\?(.*)/s, 2);
    const secret = sessionCookie(request.headers.cookie);
    const found = secret === undefined ? undefined : await findSession(services.db.read, secret);
    const due = found && (await secondFactorDue(services, found.user));
    const csrf = found && secret !== undefined ? csrfToken(secret) : '';
    const user = found?.user ?? null;
    const { fields: form, file, stream } = isForm(request.body) ? request.body : readForm('');
    return {
      api: new Api(app, request, csrf === '' ? undefined : csrf),
      user,
      params,
      query: new URLSearchParams(query),
      form,
      ...(file && { file }),
      ...(stream && { stream }),
      ...(due !== undefined && { secondFactorDue: due }),
      path,
      address,
      base,
      csrf,
      look: await pageAppearance({ services, path, params, user, request }),
      services,
      request,
      reply,
    };
  }

  async function outcomeOf(visit: Visit, page: Page | undefined): Promise<Outcome> {
    if (!page) return errorPage(visit, 404);
    const { user, request, form } = visit;
    if (request.method === 'POST' && !page.fromAnySite) refuseForeign(visit);
    if (request.method === 'POST' && !page.withoutToken) {
      const secret = sessionCookie(request.headers.cookie);
      if (!user || secret === undefined) return signInFirst(visit);
      if (!csrfMatches(secret, form.get('authenticity_token') ?? undefined)) {
        return errorPage(visit, 422, 'The form has expired. Open the page again and resubmit it.');
      }
    }
    if (page.signedIn && !user) return signInFirst(visit);
    if (user && mustChangePassword(visit)) return { redirect: `${base}/-/user_settings/password/new` };
    if (await isShutBehindTerms(visit)) return { redirect: leadTo('/-/users/terms', visit) };
    if (isShutBehindFactor(visit)) return { redirect: `${base}/-/profile/two_factor_auth` };
    return page.show(visit);
  }

  // The API rejects all calls until the password is changed.
  const mustChangePassword = ({ user, path }: Visit) =>
    user !== null &&
    accountRefusal(user, services.externalUrl) !== undefined &&
    !/^\/(-\/user_settings\/password|users\/sign_)/.test(path);

  // The API rejects all calls until the terms are accepted.
  const isShutBehindTerms = async ({ user, path }: Visit) =>
    user !== null &&
    mustAcceptTerms(await services.settings.read(), user) &&
    !/^\/(-\/(users\/terms|profile\/(theme|broadcast_messages)|user_settings\/password|manifest\.json|appearance\.css)|users\/sign_)/.test(
      path,
    );

  // The API rejects all calls of a session until two-factor authentication is set up.
  const isShutBehindFactor = ({ secondFactorDue: due, path }: Visit) =>
    due !== undefined &&
    due <= Date.now() &&
    !/^\/(-\/users\/terms|-\/profile\/(two_factor_auth|theme|broadcast_messages)|-\/user_settings\/password|users\/sign_|-\/(manifest\.json|appearance\.css))/.test(
      path,
    );

  const isSent = ({ request }: Visit) => request.method === 'POST';

  /**
   * Returns the URL of an interposed page that redirects back to the requested page, or to the page of a submitted
   * form.
   */
  const leadTo = (page: string, visit: Visit) =>
    `${base}${page}?redirect=${encodeURIComponent(isSent(visit) ? (referringPage(visit) ?? '/') : visit.address)}`;

  // If the session expired during editing, the user returns to the form after signing in.
  const signInFirst = (visit: Visit): Outcome => ({
    redirect: `${leadTo('/users/sign_in', visit)}${isSent(visit) ? '&sent=1' : ''}`,
  });

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const [path = '/'] = request.originalUrl.split('?', 1);
    finder ??= load().then(createFinder);
    const find = await finder;
    const found = find(method, path.length > 1 ? trimTrailing(path, '/') : path);
    const visit = await visitOf(request, reply, found?.params ?? {});
    const rate = await pageRate(visit);
    if (rate) reply.headers(rate.headers);
    if (rate?.exceeded) return send(visit, errorPage(visit, 429, rate.retryMessage));
    try {
      if (request.method === 'GET' && wantsEvents(request)) return await follow(visit, found?.page);
      return await send(visit, await outcomeOf(visit, found?.page));
    } catch (error) {
      const status = error instanceof Refusal || error instanceof HttpError ? error.status : undefined;
      if (status === undefined) services.log.error({ err: error, requestId: request.id, path }, 'a page failed');
      if (status === 401 && !visit.user) return send(visit, signInFirst(visit));
      // The API responds with 401 to some missing permissions; a signed-in user gets 403 instead.
      const shown = status === 401 ? 403 : (status ?? 500);
      return send(visit, errorPage(visit, shown, error instanceof Refusal ? error.reason : ''));
    }
  }

  /**
   * Serves the event stream of a page. Responds with 204 if there is nothing to watch, so that the browser does not
   * reconnect.
   */
  async function follow(visit: Visit, page: Page | undefined): Promise<FastifyReply> {
    const { reply, user } = visit;
    const isShut = isShutBehindFactor(visit) || (user && mustChangePassword(visit)) || (await isShutBehindTerms(visit));
    const mayWatch = page?.watch && !isShut && (user || !page.signedIn);
    const watch = async () => page?.watch?.(visit);
    const watched = mayWatch ? await open.serve(visit, watch, headersOf(visit)) : undefined;
    return watched ? reply : reply.code(204).send();
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxForm },
      (_request, body, done) => done(null, readForm(String(body))),
    );
    scope.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer', bodyLimit: maxUpload },
      (request: FastifyRequest, body: Buffer) => readUpload(String(request.headers['content-type']), body),
    );
    // Uploads are held in memory, so they require a session.
    scope.addHook('preParsing', async (request) => {
      if (!/^multipart\//i.test(request.headers['content-type'] ?? '')) return;
      const secret = sessionCookie(request.headers.cookie);
      if (secret === undefined || !(await findSession(services.db.read, secret))) throw new Unauthorized();
    });
    // Ignore the body of unknown content types: unknown URLs respond with 404 in any case, and forms need their CSRF
    // token.
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null, undefined);
    });
    scope.get(`${mount}/-/assets/:name`, (request, reply) => {
      const asset = Object.values(assets()).find(({ path }) => mount + path === request.url.split('?')[0]);
      if (asset === undefined) return answer(request, reply);
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
      reply.type(asset.type);
      if (!takesGzip(request)) return reply.send(asset.bytes);
      return reply.header('content-encoding', 'gzip').send(asset.compressed);
    });
    // The router strips a trailing slash, so the bare prefix needs a route of its own.
    scope.get(mount, { exposeHeadRoute: true }, answer);
    scope.get(`${mount}/*`, { exposeHeadRoute: true }, answer);
    scope.post(`${mount}/*`, answer);
    await scope.register(async (streams) => {
      streams.removeContentTypeParser('multipart/form-data');
      streams.addContentTypeParser('multipart/form-data', (request: FastifyRequest, payload: Readable) =>
        readStreamed(String(request.headers['content-type']), payload),
      );
      for (const path of streamedAddresses) streams.post(mount + path, answer);
    });
  });
}

/** Clients that do not accept HTML get API-style errors. */
const wantsWords = (request: FastifyRequest) => /text\/html/.test(request.headers.accept ?? '');

const wantsEvents = (request: FastifyRequest) => /^text\/event-stream\b/.test(request.headers.accept ?? '');
const takesStreams = (request: FastifyRequest) => /text\/vnd\.turbo-stream\.html/.test(request.headers.accept ?? '');
const takesGzip = (request: FastifyRequest) => /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));

const headersOf = ({ request }: Visit) => ({
  'x-request-id': request.id,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'Cookie, Accept-Encoding',
});

async function send(visit: Visit, outcome: Outcome): Promise<FastifyReply> {
  const { reply, request } = visit;
  reply.headers(headersOf(visit));
  if ('redirect' in outcome) {
    if (outcome.notice !== undefined) reply.header('set-cookie', flashCookie(visit, outcome.notice));
    if (!outcome.redirect.includes('#') || !takesStreams(request)) return reply.redirect(outcome.redirect, 303);
    // `fetch` hides the fragment of a redirect, so the target is sent in a Turbo stream.
    const message = html`<turbo-stream action="go" to="${outcome.redirect}"></turbo-stream>`;
    return reply.type('text/vnd.turbo-stream.html; charset=utf-8').send(message.text);
  }
  if ('content' in outcome) return reply.type(outcome.type).send(outcome.content);
  const { page, status = 200, leadsTo } = outcome;
  if (flashMessageOf(visit) !== undefined) reply.header('set-cookie', expiredFlashCookie(visit));
  if (leadsTo !== undefined) {
    const ownAndThat = policy.replace("form-action 'self'", `form-action 'self' ${sourceOf(leadsTo)}`);
    reply.header('content-security-policy', ownAndThat);
  }
  if (status === 404 && !wantsWords(request)) {
    return reply.code(404).header('content-type', 'application/json').send('{"error":"404 Not Found"}');
  }
  reply.code(status).type('text/html; charset=utf-8');
  const bytes = Buffer.from(page.text);
  if (!takesGzip(request)) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(await compress(bytes, { level: 4 }));
}
