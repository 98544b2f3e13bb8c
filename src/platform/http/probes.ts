import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';

export interface ProbeOptions {
  readonly db: Database;
  readonly metrics: Metrics;
  readonly metricsAllow: readonly string[];
}

function allowList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}

function isAllowed(list: BlockList, request: FastifyRequest): boolean {
  const ip = request.ip.replace(/^::ffff:/, '');
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

/** `/-/health`, `/-/liveness`, `/-/readiness` for those who watch the process, `/-/metrics` for Prometheus. */
export function addProbes(app: FastifyInstance, { db, metrics, metricsAllow }: ProbeOptions): void {
  const allowed = allowList(metricsAllow);
  app.get('/-/health', async (_request, reply) => reply.type('text/plain').send('GitLab OK'));
  app.get('/-/liveness', async () => ({ status: 'ok' }));
  app.get('/-/readiness', async (request, reply) => {
    try {
      await db.ping();
      return { status: 'ok', master_check: [{ status: 'ok' }], db_check: [{ status: 'ok' }] };
    } catch (error) {
      request.log.error({ err: error }, 'the database does not answer');
      return reply.code(503).send({ status: 'failed', db_check: [{ status: 'failed' }] });
    }
  });
  app.get('/-/metrics', async (request, reply) => {
    if (!isAllowed(allowed, request)) return reply.callNotFound();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
