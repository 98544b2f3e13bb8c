import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What Prometheus reads at `/-/metrics`. */
export interface Metrics {
  readonly registry: Registry;
  answered(request: FastifyRequest, reply: FastifyReply): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'hearth_http_requests_total',
    help: 'Answered requests.',
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'hearth_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30],
    registers: [registry],
  });
  return {
    registry,
    answered(request, reply) {
      // The route, never the URL: a label for each project would grow without bound.
      const route = request.routeOptions?.url ?? 'none';
      requests.inc({ method: request.method, route, status: reply.statusCode });
      duration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    },
  };
}
