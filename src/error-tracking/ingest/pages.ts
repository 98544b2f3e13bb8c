import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../../access/services.ts';
import { Intake } from './intake.ts';
import { type IngestRequest, type Receipt, receiveEnvelope, receiveStore } from './receive.ts';
import { IngestRefusal } from './refusal.ts';

/**
 * Where SDKs send to, by the DSN they were given: they put `/api` before its last part. The first is the one that keys
 * are shown with, the second that of earlier servers, the third what a bare `https://KEY@host/5` becomes.
 */
const families = [
  '/errortracking/api/v1/projects/api/:project_id',
  '/api/v4/error_tracking/collector/api/:project_id',
  '/api/:project_id(^\\d+$)',
];

/** On every answer, refusals included: a browser that may not read an answer cannot heed what it says. */
const open = {
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

/** What is taken and thrown away; an SDK that is told so sends no more of it for an hour. */
const unsupported = '3600:transaction;profile;profile_chunk;replay;span;log_item;trace_metric:key:unsupported';

/** The endpoints that SDKs report to. Outside of the API: no token opens them, and nothing but a client key does. */
export async function serveIngestion(app: FastifyInstance, services: Services): Promise<void> {
  const intake = new Intake(services);
  await app.register(async (plugin) => {
    // Whatever the content type says, the bytes are read here: SDKs send none, a wrong one, or one of their own.
    plugin.removeAllContentTypeParsers();
    plugin.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    plugin.addHook('onRequest', async (request, reply) => {
      reply.headers(open);
      // Fastify refuses what is no media type before anybody is asked.
      const { headers } = request.raw;
      if (!/^[\w.+-]+\/[\w.+-]+/.test(headers['content-type'] ?? '')) delete headers['content-type'];
    });
    plugin.setErrorHandler((error, _request, reply) => {
      // Bytes, a broken connection: the sender's doing, and of no use to anybody in the log.
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
        // What is refused before its end is passed over: else the next request on the connection would never be read.
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

/** Exactly 200: the SDK for Java takes any other success for a failure. */
function answer(reply: FastifyReply, { id, unsupported: dropped }: Receipt): FastifyReply {
  if (dropped) reply.header('x-sentry-rate-limits', unsupported);
  return reply
    .code(200)
    .header('content-type', 'application/json')
    .send(id === undefined ? '{}' : `{"id":"${id}"}`);
}
