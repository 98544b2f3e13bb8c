import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.ts';
import type { PageContext } from '../access/area.ts';
import { type Route, route } from '../access/route.ts';
import { signalOf } from '../platform/http/call.ts';
import { HttpError } from '../platform/http/errors.ts';
import { errorMessagesIn } from '../platform/http/in-process.ts';
import { JsonOutline, parseNested } from '../platform/http/parameters/nested-params.ts';
import { setHeaders, standardHeaders } from '../platform/http/responses/headers.ts';
import { identifyEarly } from '../platform/http/server/early-caller.ts';
import { credentialsOf, readQueries, UnreadableRequest } from './request.ts';

/** A note may have a million characters, and is sent as part of its query. */
const maxBodySize = 4_000_000;
/** Timeout of a request. */
const timeoutMs = 30_000;

/** Describes the endpoint for authentication: which credentials it accepts. Each API call checks access again. */
function endpointOf({ gates }: PageContext): Route {
  return route({
    method: 'POST',
    path: '/api/graphql',
    tag: 'graphql',
    summary: 'GraphQL',
    gate: gates.anyone,
    scopes: ['read_api'],
    jobToken: true,
    params: {},
    responses: { 200: null },
    handle: () => undefined,
  });
}

/**
 * Serves `/api/graphql`. The execution engine is imported with the first query, because most servers never receive any.
 */
export async function serveGraphql(app: FastifyInstance, page: PageContext): Promise<void> {
  const { services, pipeline } = page;
  const endpoint = endpointOf(page);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const params = request.query as Record<string, unknown>;
    const known = request.early?.caller as Actor | undefined;
    const caller = known ?? (await pipeline.identify(request, params, endpoint));
    await pipeline.throttle?.(caller, request, reply);
    const { queries, isList } = readQueries(request.method === 'GET' ? params : request.body);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), signalOf(request, reply)]);
    const credentials = credentialsOf(request, caller.carrier === 'session');
    const { resultsOf } = await import('./results.ts');
    const results = await resultsOf(queries, { app, services, request, caller, credentials, signal });
    return reply.send(JSON.stringify(isList ? results : results[0]));
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, parseJson(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    });
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, parseNested(String(body))),
    );
    scope.addHook('onSend', (request, reply, payload, done) => {
      setHeaders(reply, standardHeaders(request, reply)).header('content-type', 'application/json; charset=utf-8');
      done(null, payload);
    });
    scope.setErrorHandler((error: FastifyError | HttpError, request, reply) => {
      const [status, message] = refusalOf(error);
      if (status >= 500) services.log.error({ err: error, requestId: request.id }, 'a query failed');
      if (error instanceof HttpError) reply.headers(error.headers);
      return reply.code(status).send(JSON.stringify({ errors: [{ message }] }));
    });
    scope.post(
      '/api/graphql',
      { bodyLimit: maxBodySize, onRequest: (request) => identifyEarly(request, endpoint, pipeline) },
      answer,
    );
    scope.get('/api/graphql', { exposeHeadRoute: false }, answer);
  });
}

function parseJson(bytes: Buffer): unknown {
  new JsonOutline().take(bytes);
  try {
    return bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  } catch {
    throw new UnreadableRequest('Invalid JSON format');
  }
}

function refusalOf(error: FastifyError | HttpError): [status: number, message: string] {
  if (error instanceof UnreadableRequest) return [422, error.message];
  if (error instanceof HttpError) {
    if (error.status === 401) return [401, 'Invalid token'];
    const message = typeof error.body === 'string' ? error.body.trim() : errorMessagesIn(error.body).join('; ');
    return [error.status, message];
  }
  const { statusCode = 500 } = error;
  return statusCode < 500 ? [statusCode, error.message] : [500, 'Internal server error'];
}
