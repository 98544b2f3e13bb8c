import type { FastifyInstance } from 'fastify';
import type { Database } from '../../database/database.ts';
import { diskTrouble, gitTrouble, type Trouble } from '../../machine.ts';
import type { Metrics } from '../../metrics.ts';
import { addressRanges } from './address-ranges.ts';
import { outageReason } from './outages.ts';

export interface ProbeOptions {
  readonly db: Database;
  readonly data: string;
  readonly metrics: Metrics;
  readonly metricsAllow: readonly string[];
  /** Whether administrators enabled metrics. */
  metricsShown(): Promise<boolean>;
}

/** `/-/health`, `/-/liveness` and `/-/readiness` for monitoring, `/-/metrics` for Prometheus. */
export function addProbes(app: FastifyInstance, { db, data, metrics, metricsAllow, metricsShown }: ProbeOptions): void {
  const isAllowed = addressRanges(metricsAllow);
  app.get('/-/health', async (_request, reply) => reply.type('text/plain').send('GitLab OK'));
  app.get('/-/liveness', async () => ({ status: 'ok' }));
  const checks = readiness(db, data);
  app.get('/-/readiness', async (request, reply) => {
    const { troubles, error } = await checks();
    const failed = Object.values(troubles).some((trouble) => trouble !== undefined);
    if (failed) request.log.error({ err: error, troubles }, 'not ready to serve');
    const parts = Object.entries(troubles).map(([part, trouble]) => [`${part}_check`, [verdict(trouble)]]);
    const status = failed ? 'failed' : 'ok';
    return reply
      .code(failed ? 503 : 200)
      .send({ status, master_check: [{ status: 'ok' }], ...Object.fromEntries(parts) });
  });
  app.get('/-/metrics', async (request, reply) => {
    if (!isAllowed(request.ip)) return reply.callNotFound();
    if (!(await metricsShown())) return reply.type('text/plain').send('# Metrics are disabled\n');
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

interface Readiness {
  readonly troubles: Readonly<Record<'db' | 'git' | 'disk', Trouble | undefined>>;
  readonly error: unknown;
}

/** Anybody may call these, and each check starts a process and writes a file, so concurrent callers share one check. */
const sharedForMs = 1000;

function readiness(db: Database, data: string): () => Promise<Readiness> {
  let last: { readonly at: number; readonly found: Promise<Readiness> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > sharedForMs) {
      last = { at: performance.now(), found: examine(db, data) };
    }
    return last.found;
  };
}

async function examine(db: Database, data: string): Promise<Readiness> {
  const answer = db.ping().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const [failure, git, disk] = await Promise.all([answer, gitTrouble(), diskTrouble(data)]);
  const reason = failure && (outageReason(failure.error) ?? 'The database does not answer').toLowerCase();
  const database = reason === undefined ? undefined : { reason, advice: 'hearth doctor says more' };
  return { troubles: { db: database, git, disk }, error: failure?.error };
}

/** Without the advice, which is for the operator. */
function verdict(trouble: Trouble | undefined): { status: string; message?: string } {
  return trouble ? { status: 'failed', message: trouble.reason } : { status: 'ok' };
}
