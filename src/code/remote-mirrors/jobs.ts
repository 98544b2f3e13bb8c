import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { fault } from '../../platform/faults.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { credentialsOf, withoutSecrets } from '../../platform/git/remote/address.ts';
import { failureOf } from '../../platform/git/remote/exchange.ts';
import type { Job } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { maxRunMs, minIntervalOf, scheduleUpdate } from './schedule.ts';
import { urlPurpose } from './service.ts';
import * as store from './store.ts';
import type { RemoteMirrorRow } from './tables.ts';
import { isTransient, MirrorFailed, pushToMirror } from './update.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A mirror started to fail. Not announced again until it has worked in between. */
    'mirror.failed': {
      readonly projectId: number;
      readonly way: 'push' | 'pull';
      /** The URL without credentials. */
      readonly url: string;
      readonly error: string;
    };
  }
}

type UpdateJob = Job<{ readonly mirrorId: number; readonly asked: number }>;

const hour = 60 * 60_000;
const firstRunMs = 3 * hour;
const laterRunMs = hour;
/** Maximum number of consecutive failures, after which a mirror waits for the next push. */
const maxRuns = 4;
const maxErrorLength = 10_000;

/** Defines the job that updates push mirrors. */
export function remoteMirrorJobs(services: Services): void {
  services.queue.defineJob('remote-mirrors.update', (job) => updateMirror(services, job), {
    timeoutMs: maxRunMs,
    maxAttempts: 5,
    concurrency: 4,
  });
}

async function updateMirror(services: Services, job: UpdateJob): Promise<void> {
  const { db } = services;
  const { mirrorId, asked } = job.payload;
  const mirror = await store.findMirror(db.read, mirrorId);
  if (!mirror || mirror.enabled === 0) return;
  const { update_status: status, last_update_started_at: before } = mirror;
  if (status === 'finished' && before !== null && before >= asked) return;
  await db.write((trx) =>
    store.updateMirror(trx, mirror.id, { update_status: 'started', last_update_started_at: Date.now() }),
  );
  fault('remote-mirror.started');
  const limit = AbortSignal.timeout(mirror.last_successful_update_at === null ? firstRunMs : laterRunMs);
  try {
    const { knownHosts, problem } = await pushToMirror(services, mirror, AbortSignal.any([job.signal, limit]));
    fault('remote-mirror.pushed');
    await db.write(async (trx) => {
      // Keys that were set meanwhile, or removed, are not overwritten.
      if (knownHosts !== undefined && mirror.known_hosts === '') await store.pinHostKeys(trx, mirror.id, knownHosts);
      if (problem === undefined) await recordSuccess(trx, mirror);
      else await recordFailure(services, trx, mirror, new MirrorFailed(problem));
      await job.finish(trx);
    });
  } catch (error) {
    // The server is shutting down: the job is retried after the restart.
    if (job.signal.aborted) throw error;
    const reason = limit.aborted ? new MirrorFailed('The remote mirror took to long to complete.') : error;
    await db.write(async (trx) => {
      await recordFailure(services, trx, mirror, reason);
      await job.finish(trx);
    });
  }
}

async function recordSuccess(trx: Writer, { id }: RemoteMirrorRow): Promise<void> {
  const now = Date.now();
  await store.updateMirror(trx, id, {
    update_status: 'finished',
    failures: 0,
    failure_told: 0,
    last_error: null,
    last_update_at: now,
    last_successful_update_at: now,
  });
}

async function recordFailure(services: Services, trx: Writer, mirror: RemoteMirrorRow, error: unknown): Promise<void> {
  const last_error = reasonOf(services, mirror, error);
  const failures = mirror.failures + 1;
  if (isTransient(error) && failures < maxRuns) {
    await store.updateMirror(trx, mirror.id, { failures, last_error });
    await scheduleUpdate(services, trx, mirror.id, Date.now() + minIntervalOf(mirror));
    return;
  }
  if (!isTransient(error) && !(error instanceof MirrorFailed)) {
    services.log.error({ err: error, mirror: mirror.id }, 'failed to update a push mirror');
  }
  const result = { update_status: 'failed', failures: 0, last_error, last_update_at: Date.now() } as const;
  await store.updateMirror(trx, mirror.id, { ...result, failure_told: 1 });
  if (mirror.failure_told === 1) return;
  const { project_id: projectId, url } = mirror;
  await services.announce(trx, 'mirror.failed', { projectId, way: 'push', url, error: last_error });
}

function reasonOf({ encryption }: Services, mirror: RemoteMirrorRow, error: unknown): string {
  if (error instanceof EgressRefused) return 'The remote mirror URL is invalid.';
  const message = error instanceof GitError ? failureOf(error) : error instanceof Error ? error.message : String(error);
  const credentials = credentialsOf(new URL(encryption.decrypt(mirror.encrypted_url, urlPurpose)));
  return scrubUrl(withoutSecrets(message, credentials)).slice(0, maxErrorLength);
}
