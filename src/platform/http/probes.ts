import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';
import { addressRanges } from './address-ranges.ts';

export interface ProbeOptions {
  readonly db: Database;
  readonly metrics: Metrics;
  readonly metricsAllow: readonly string[];
}

/** `/-/health`, `/-/liveness`, `/-/readiness` for those who watch the process, `/-/metrics` for Prometheus. */
export function addProbes(app: FastifyInstance, { db, metrics, metricsAllow }: ProbeOptions): void {
  const isAllowed = addressRanges(metricsAllow);
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
    if (!isAllowed(request.ip)) return reply.callNotFound();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
