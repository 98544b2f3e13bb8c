import { isIP } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { PageContext } from '../../../access/area.ts';
import type { Services } from '../../../access/services.ts';
import type { OtherHostHandler } from '../../../platform/http/app.ts';
import { pagesAddress } from '../addresses.ts';
import { domainNamed } from '../domains/store.ts';
import { isServed } from '../domains/verification.ts';
import { handleRequest, notFound, readParts } from './answer.ts';

const maxUrlLength = 8192;

/** Serves Pages hosts. Separate from the main application: none of its routes, cookies or forms apply. */
export interface Sites {
  readonly elsewhere: OtherHostHandler;
  close(): Promise<void>;
}

export interface SitesOptions {
  readonly identify: PageContext['identify'];
  readonly onAnswer: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Host name of a request: lowercase, without port and trailing dot. */
function hostOf(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Creates the Pages application; undefined if Pages is disabled. */
export async function openSites(services: Services, options: SitesOptions): Promise<Sites | undefined> {
  const place = pagesAddress(services);
  if (!place) return undefined;
  const app = await openApp(services, options);
  const forge = new URL(services.externalUrl).hostname;
  const isOurs = (host: string) => host === '' || host === forge || host === 'localhost' || /^\[|^[\d.]+$/.test(host);
  return {
    elsewhere(request, response) {
      const host = hostOf(request.headers.host);
      if (isOurs(host) || isIP(host) !== 0) return false;
      if (host === place.domain || host.endsWith(`.${place.domain}`)) {
        app.routing(request, response);
        return true;
      }
      return isCustomDomain(services, host).then((is) => {
        if (is) app.routing(request, response);
        return is;
      });
    },
    close: () => app.close(),
  };
}

async function isCustomDomain(services: Services, host: string): Promise<boolean> {
  const domain = await domainNamed(services.db.read, host);
  return domain !== undefined && (await isServed(services, domain));
}

function badRequest(reply: FastifyReply): void {
  reply.code(400).type('text/plain').send('400 Bad Request\n');
}

async function openApp(services: Services, { identify, onAnswer }: SitesOptions): Promise<FastifyInstance> {
  const { config } = services;
  const log: FastifyBaseLogger = services.log;
  const place = pagesAddress(services);
  if (!place) throw new Error('Pages is disabled');
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => badRequest(reply),
  });
  app.setChildLoggerFactory((logger) => logger);
  app.addHook('onResponse', (request, reply, done) => {
    onAnswer(request, reply);
    done();
  });
  // Rejected before a body is read, because sites are read-only.
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    return reply.code(405).header('allow', 'GET, HEAD').type('text/plain').send('405 Method Not Allowed\n');
  });
  app.setErrorHandler((error, request, reply) => {
    log.error({ err: error, requestId: request.id }, 'failed to serve a Pages site');
    return reply.code(500).header('cache-control', 'no-store').type('text/plain').send('500 Internal Server Error\n');
  });
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    const { url = '/' } = request.raw;
    if (url.length > maxUrlLength) return reply.code(414).type('text/plain').send('414 URI Too Long\n');
    const read = readParts(url.split('?', 1)[0] ?? '/');
    if (!read) return notFound(reply);
    return handleRequest(
      { services, place, identify },
      { request, reply, host: hostOf(request.headers.host), ...read },
    );
  };
  app.route({ method: ['GET', 'HEAD'], url: '/*', handler: handle });
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  await app.ready();
  return app;
}
