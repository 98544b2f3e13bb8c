import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Busy } from '../concurrency.ts';
import { ObjectTooLargeError } from '../git/objects/objects.ts';
import { GitBusyError, GitError } from '../git/process/errors.ts';
import { lingerOnClose } from './bodies/lingering-close.ts';
import { readBodies } from './bodies/read-bodies.ts';
import { endUnfinishedBodies } from './bodies/unfinished-bodies.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { HttpError, Overloaded, ParameterError, TooLarge, Unprocessable } from './errors.ts';
import { parseNested, UnreadableText } from './parameters/nested-params.ts';
import { handlerFor } from './pipeline.ts';
import type { PipelineOptions } from './pipeline-options.ts';
import { setHeaders, standardHeaders } from './responses/headers.ts';
import { identifyEarly } from './server/early-caller.ts';
import { Outage, outageOf } from './server/outages.ts';
import { namesTwoHosts, originForm } from './server/request-target.ts';
import { literalRoutesBesideIds, UnknownRoutes, withoutFormat } from './server/unknown-routes.ts';

// An ES import reads every export, and the getter of `WebSocket` loads undici: 40 ms and 3 MB of each start.
const { createServer } = process.getBuiltinModule('node:http');

const verbs: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** The effective method of a request. Clients that cannot send PATCH send POST with an override header. */
function effectiveMethod({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | undefined {
  const override = method === 'POST' ? headers['x-http-method-override'] : undefined;
  if (typeof override !== 'string') return method;
  const verb = override.toUpperCase();
  return verbs.has(verb) ? verb : method;
}

/** API requests that were sent as HEAD and are routed as GET. */
const heads = new WeakSet<IncomingMessage>();

/** Fastify would register a HEAD route for each GET route: a thousand more routes, and 80 ms of each start. */
function routeHeadAsGet(request: IncomingMessage): void {
  if (request.method !== 'HEAD') return;
  heads.add(request);
  request.method = 'GET';
}

/** Turns the response of a GET into that of a HEAD: the same headers without the body. */
function withoutBody(reply: FastifyReply, payload: unknown): null {
  if (payload instanceof Readable) {
    payload.on('error', (error) => reply.log.error({ err: error }, 'the stream of a HEAD response failed')).resume();
  } else {
    reply.header('content-length', payload ? Buffer.byteLength(payload as string | Buffer) : 0);
  }
  return null;
}

export interface AppOptions<Caller> extends PipelineOptions<Caller> {
  readonly endpoints: readonly AnyEndpoint<Caller>[];
  readonly logger: FastifyBaseLogger;
  readonly bodyLimit: number;
  readonly trustedProxies: readonly string[];
  /** Maximum time without progress while a request body is incomplete, in milliseconds. */
  readonly bodyStall: number;
  /** Rewrites the path of a request before routing, for paths that no route can express. */
  readonly routeUrl?: (url: string) => string;
  /**
   * Handles requests for other hosts (such as GitLab Pages sites) before routing; returns false for requests to this
   * host.
   */
  readonly elsewhere?: OtherHostHandler | undefined;
  /** Called after every response, for metrics. */
  readonly onAnswer?: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Returns whether it has handled the request. */
export type OtherHostHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean;

export const apiPrefix = '/api/v4';
const doubleSlash = /^\/api\/v4\/{2,}/;
const formerApi = /^\/api\/v3(?:[/?]|$)/;
const removedApiMessage = 'API V3 is no longer supported. Use API V4 instead.';
const maxUrlLength = 16_384;
/** Large enough to receive a URL that is too long, so that it can be answered with 414, and the headers after it. */
const maxHeaderSize = 4 * maxUrlLength;
/** Minimum rate in bytes per second, below that of any usable connection. */
const minRate = 256;

/**
 * Some clients join an address that ends in a slash and a path that begins with one: `/api/v4//projects`. Elsewhere in a
 * path an empty segment is a missing value, and without it the request would mean something else.
 */
const withoutDoubleSlash = (url: string) => url.replace(doubleSlash, `${apiPrefix}/`);

/** Strips the suffix of `/projects/5.json` or `/runners/all.json`, which the router would read as part of the id. */
function withoutSuffix(url: string, words: RegExp): string {
  const plain = url.includes('.json') ? withoutFormat(url) : undefined;
  if (plain === undefined) return url;
  const path = plain.split('?', 1)[0] as string;
  // In repository paths the suffix is part of a file name.
  const endsInNumber = /^\/api\/v4\/(?!.*\/repository\/).*\/\d+$/.test(path);
  return endsInNumber || words.test(path) ? plain : url;
}

/**
 * Creates a Fastify instance that serves the endpoints below the API prefix. Other routes may be added before it
 * listens.
 */
export async function createApp<Caller>(options: AppOptions<Caller>): Promise<FastifyInstance> {
  const words = literalRoutesBesideIds(options.endpoints as readonly AnyEndpoint<never>[], apiPrefix);
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimit,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => {
      const method = effectiveMethod(request);
      if (method !== undefined && method !== request.method) request.method = method;
      const url = withoutDoubleSlash(originForm(request.url ?? '/'));
      // Fastify has recorded the original URL before it calls this function.
      if (url !== request.url) Object.assign(request, { originalUrl: url });
      if (url.startsWith(`${apiPrefix}/`)) routeHeadAsGet(request);
      return withoutSuffix(options.routeUrl?.(url) ?? url, words);
    },
    http: { maxHeaderSize },
    ...(options.elsewhere && { serverFactory: servingElsewhere(options.elsewhere, options.logger) }),
    forceCloseConnections: 'idle',
    // The timeout would also apply to close hooks, which may take longer on a busy machine and have their own deadline.
    pluginTimeout: 0,
    requestTimeout: 0,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8192, querystringParser: parseQuery },
    frameworkErrors: (error, request, reply) => answerError(options.logger, error, request, reply),
  });
  // One logger for all requests: a child for each would cost more than most requests' own work.
  app.setChildLoggerFactory((logger) => logger);
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(options.logger, error, request, reply));
  app.addHook('onRequest', (request, _reply, done) => {
    if (heads.has(request.raw)) request.raw.method = 'HEAD';
    const { url = '' } = request.raw;
    if (url.length > maxUrlLength) return done(tooLong());
    if (url.includes('%00')) return done(new UnreadableText());
    if (namesTwoHosts(request.raw)) return done(new HttpError(400, { message: '400 Bad request' }));
    const { parsingProblem } = request.query as { parsingProblem?: Error };
    done(parsingProblem instanceof HttpError ? parsingProblem : undefined);
  });
  if (options.onAnswer) {
    const { onAnswer } = options;
    app.addHook('onResponse', (request, reply, done) => {
      onAnswer(request, reply);
      done();
    });
  }
  app.decorateRequest('early', undefined);
  const stopWatching = endUnfinishedBodies(app.server, { stall: options.bodyStall, minRate });
  app.addHook('onClose', async () => stopWatching());
  lingerOnClose(app.server);
  closeConnectionsAtTheEnd(app);
  await app.register(async (api) => mountApi(api, options), { prefix: apiPrefix });
  app.setNotFoundHandler((request, reply) => {
    const [status, error] = formerApi.test(request.url) ? [410, removedApiMessage] : [404, '404 Not Found'];
    reply.code(status).header('content-type', 'application/json').send(JSON.stringify({ error }));
  });
  return app;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the server as Fastify does by default, except that requests for other hosts never reach its routes. */
function servingElsewhere(elsewhere: OtherHostHandler, logger: FastifyBaseLogger) {
  return (ours: Handler, { keepAliveTimeout = 72_000 }: { keepAliveTimeout?: number }): Server => {
    const server = createServer({ maxHeaderSize }, (request, response) => {
      request.url = originForm(request.url ?? '/');
      const handled = elsewhere(request, response);
      if (typeof handled === 'boolean') return handled || ours(request, response);
      handled.then(
        (is) => is || ours(request, response),
        (error: unknown) => {
          logger.error({ err: error }, 'could not determine whether a request is for this host');
          response.writeHead(503, { 'content-type': 'text/plain' }).end('503 Service Unavailable');
        },
      );
    });
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = 0;
    return server;
  };
}

/**
 * Closes connections on shutdown: an idle keep-alive connection would delay the end of the process by more than a
 * minute.
 */
function closeConnectionsAtTheEnd(app: FastifyInstance): void {
  app.decorate('closing', false);
  // Browsers and clients open connections in advance; Node does not consider an unused connection idle.
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', (done) => {
    app.closing = true;
    for (const socket of unused) socket.destroy();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.closing) reply.header('connection', 'close');
    done(null, payload);
  });
}

// Fastify parses the query outside any handler, where an exception would be a 500, so the error is passed on in the
// query.
function parseQuery(text: string): Record<string, unknown> {
  try {
    return parseNested(text);
  } catch (error) {
    return { parsingProblem: error };
  }
}

async function mountApi<Caller>(api: FastifyInstance, options: AppOptions<Caller>): Promise<void> {
  await readBodies(api, options.spool);
  const unknown = new UnknownRoutes(options.endpoints as readonly AnyEndpoint<never>[], apiPrefix);
  api.addHook('onSend', (request, reply, payload, done) => {
    setHeaders(reply, standardHeaders(request, reply));
    // Fastify adds a charset to JSON; GitLab sends none, and clients compare the header.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') {
      reply.header('content-type', 'application/json');
    }
    done(null, request.method === 'HEAD' ? withoutBody(reply, payload) : payload);
  });
  inOneStep(api, () => {
    for (const endpoint of options.endpoints) {
      api.route({
        method: endpoint.method,
        url: endpoint.path,
        exposeHeadRoute: false,
        bodyLimit: endpoint.bodyLimit ?? options.bodyLimit,
        config: { rawBody: endpoint.rawBody === true },
        ...(endpoint.method !== 'GET' && {
          onRequest: (request: FastifyRequest) => identifyEarly(request, endpoint, options),
        }),
        handler: handlerFor(endpoint, options),
      });
    }
  });
  api.setNotFoundHandler((request, reply) => {
    const plain = withoutFormat(request.raw.url ?? '');
    if (plain === undefined) return unknown.answer(request, reply);
    request.raw.url = plain;
    routeHeadAsGet(request.raw);
    reply.hijack();
    api.routing(request.raw, reply.raw);
    return reply;
  });
}

type Step = (error: Error | null, done: (error: Error | null) => void) => void;

/**
 * Fastify completes each route in a separate step, and its queue of steps takes as long as the routes themselves, so
 * all routes added by `mount` share one step.
 */
function inOneStep(api: FastifyInstance, mount: () => void): void {
  const steps: Step[] = [];
  const queue: { after: (step: Step) => unknown } = api;
  const { after } = queue;
  queue.after = (step) => steps.push(step);
  mount();
  queue.after = after;
  queue.after((error, done) => {
    let failed = error;
    for (const step of steps) step(failed, (problem) => (failed = problem));
    done(failed);
  });
}

function answerError(
  logger: FastifyBaseLogger,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refusal = asHttpError(error);
  if (refusal instanceof Outage)
    logger.error({ err: error, requestId: request.id }, 'a resource of the machine is exhausted');
  if (!(refusal instanceof HttpError)) {
    logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed');
    reply.code(500).headers({ 'content-type': 'application/json', 'cache-control': 'no-cache' });
    reply.send('{"message":"500 Internal Server Error"}');
    return;
  }
  reply.code(refusal.status).headers({ 'cache-control': 'no-cache', ...refusal.headers });
  if (refusal.body === null) {
    reply.send('');
  } else if (typeof refusal.body === 'string') {
    reply.send(refusal.body);
  } else {
    reply.header('content-type', 'application/json').send(JSON.stringify(refusal.body));
  }
}

const tooLong = () => new HttpError(414, { message: '414 Request-URI Too Long' });

/** Converts errors of Fastify and of lower layers to the documented responses. */
function asHttpError(error: FastifyError): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof Busy || error instanceof GitBusyError) return new Overloaded();
  if (error instanceof GitError && error.timedOut) return new Overloaded(30);
  const outgrown = error instanceof ObjectTooLargeError || (error instanceof GitError && error.outOfMemory);
  if (outgrown) return new Unprocessable('The requested content is too large');
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new TooLarge();
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new UnreadableText();
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return tooLong();
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new HttpError(415, { error: "The provided content-type '' is not supported." });
  }
  // Invalid gzip or an aborted chunked body: client errors.
  if (error.code === 'Z_DATA_ERROR' || error.code === 'Z_BUF_ERROR') return new ParameterError('Invalid request body');
  if (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new HttpError(400, { message: '400 Bad request' });
  }
  return outageOf(error) ?? error;
}
