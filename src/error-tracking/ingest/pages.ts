import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../../access/services.ts';
import { Intake } from './intake.ts';
import {
  envelopeType,
  type IngestRequest,
  isEnvelope,
  type Receipt,
  receiveEnvelope,
  receiveStore,
} from './receive.ts';
import { IngestRefusal } from './refusal.ts';

/**
 * URLs that SDKs send to, derived from the DSN by inserting `/api` before its last segment. The first is the one shown
 * with client keys, the second that of earlier servers, the third the result of a bare `https://KEY@host/5`.
 */
const families = [
  '/errortracking/api/v1/projects/api/:project_id',
  '/api/v4/error_tracking/collector/api/:project_id',
  '/api/:project_id(^\\d+$)',
];

/** CORS headers, also on errors: browsers need them to read the response. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
  'cross-origin-resource-policy': 'cross-origin',
};

const preflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, ' +
    'authorization, content-encoding, transfer-encoding',
  'access-control-max-age': '3600',
};

/** Item types that are accepted and dropped. The header tells SDKs not to send them for an hour. */
const unsupported = '3600:transaction;profile;profile_chunk;replay;span;log_item;trace_metric:key:unsupported';

/** Endpoints for SDKs. They are not part of the API: they only accept client keys, no access tokens. */
export async function serveIngestion(app: FastifyInstance, services: Services): Promise<void> {
  const intake = new Intake(services);
  await app.register(async (plugin) => {
    // Read the raw bytes regardless of the content type: SDKs send none, a wrong one, or their own.
    plugin.removeAllContentTypeParsers();
    plugin.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    plugin.addHook('onRequest', async (request, reply) => {
      reply.headers(corsHeaders);
      // Fastify rejects invalid media types before any handler runs, and only this one makes a difference.
      const { headers } = request.raw;
      if (isEnvelope(headers)) headers['content-type'] = envelopeType;
      else delete headers['content-type'];
    });
    plugin.setErrorHandler((error, _request, reply) => {
      // A connection closed by the client is not worth logging.
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return reply.code(400).send();
      throw error;
    });
    for (const family of families) {
      mount(plugin, `${family}/envelope`, (request) => receiveEnvelope(services, intake, request));
      mount(plugin, `${family}/store`, (request) => receiveStore(services, intake, request));
    }
  });
}

function mount(app: FastifyInstance, url: string, receive: (request: IngestRequest) => Promise<Receipt>): void {
  app.route({
    method: 'POST',
    url,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    handler: async (request, reply) => {
      try {
        return answer(reply, await receive(request as IngestRequest));
      } finally {
        // Drain the rest of a rejected body: otherwise the next request on the connection would never be read.
        request.raw.resume();
      }
    },
  });
  app.route({ method: 'OPTIONS', url, handler: (_request, reply) => reply.code(204).headers(preflight).send() });
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url,
    handler: () => {
      throw new IngestRefusal(405, '405 Method Not Allowed', { allow: 'POST, OPTIONS' });
    },
  });
}

/** Exactly 200: the Java SDK treats any other success status as a failure. */
function answer(reply: FastifyReply, { id, unsupported: dropped }: Receipt): FastifyReply {
  if (dropped) reply.header('x-sentry-rate-limits', unsupported);
  return reply
    .code(200)
    .header('content-type', 'application/json')
    .send(id === undefined ? '{}' : `{"id":"${id}"}`);
}
