import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Git } from './git/git.ts';
import type { Queue } from './queue/queue.ts';

/** The metrics that Prometheus reads at `/-/metrics`. */
export interface Metrics {
  readonly registry: Registry;
  answered(request: FastifyRequest, reply: FastifyReply): void;
}

export function createMetrics({ git, queue }: { git: Git; queue: Queue }): Metrics {
  const registry = Registry.merge([metricsOfProcess()]);
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
  watch(registry, git, queue);
  return {
    registry,
    answered(request, reply) {
      // The route rather than the URL: a label per project would grow without bound.
      const route = request.routeOptions?.url ?? 'none';
      requests.inc({ method: request.method, route, status: reply.statusCode });
      duration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    },
  };
}

let ofProcess: Registry | undefined;

/**
 * Metrics of memory, garbage collection and event loop. Their listeners cannot be removed, so all servers of a process
 * share them.
 */
function metricsOfProcess(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Registers metrics that are computed when Prometheus reads them. */
function watch(registry: Registry, git: Git, queue: Queue): void {
  new Gauge({
    name: 'hearth_jobs',
    help: 'Background jobs by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await queue.counts())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'hearth_dead_jobs',
    help: 'Background jobs that failed for good, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const counts = await queue.deadCounts();
      this.reset();
      for (const [kind, count] of counts) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'hearth_git',
    help: 'The git cache, its readers and its processes.',
    labelNames: ['part', 'figure'],
    registers: [registry],
    collect() {
      const { processes, ...parts } = git.counters();
      for (const [part, figures] of Object.entries({ ...parts, ...processes })) {
        for (const [figure, value] of Object.entries(figures)) this.set({ part, figure }, Number(value));
      }
    },
  });
}
