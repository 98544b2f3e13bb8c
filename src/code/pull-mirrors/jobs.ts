import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { fault } from '../../platform/faults.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { withoutSecrets } from '../../platform/git/remote/address.ts';
import { failureOf } from '../../platform/git/remote/exchange.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { delayAfter } from './delay.ts';
import { enqueuePull, mirrorAddress } from './service.ts';
import * as store from './store.ts';
import type { PullMirrorRow } from './tables.ts';
import { MirrorProblem, pullFromMirror } from './update.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'pull-mirrors.update': { projectId: number };
  }
}

const minute = 60_000;
const maxRunMs = 3 * 60 * minute;
const maxDueBatch = 200;
const maxErrorLength = 10_000;

/** Defines the pull job and the recurring check for due mirrors. */
export function pullMirrorJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('pull-mirrors.update', (job) => runPull(services, job), {
    timeoutMs: maxRunMs + 10 * minute,
    maxAttempts: 5,
    concurrency: 4,
  });
  queue.recurring('pull-mirrors.due', { everyMs: minute }, () => queueDueMirrors(services));
}

/** Queues a pull for every due mirror, up to the capacity. */
export async function queueDueMirrors(services: Services): Promise<void> {
  const { db } = services;
  const now = Date.now();
  const free = await freeCapacity(services, now);
  if (free <= 0) return;
  for (const projectId of await store.dueMirrors(db.read, now, Math.min(free, maxDueBatch))) {
    await db.write(async (trx) => {
      if (await store.claimDue(trx, projectId, now, now + minute)) await enqueuePull(services, trx, projectId);
    });
  }
}

/** Returns how many more mirrors may be queued or running at the same time. */
async function freeCapacity({ db, settings }: Services, now: number): Promise<number> {
  const { mirror_max_capacity: most } = await settings.read();
  return most - (await store.countBusy(db.read, now, most));
}

/** Looks for due mirrors once enough capacity is free, instead of after every single run. */
async function refill(services: Services): Promise<void> {
  const { mirror_capacity_threshold: threshold, mirror_max_capacity: most } = await services.settings.read();
  if ((await freeCapacity(services, Date.now())) >= Math.min(threshold, most)) await queueDueMirrors(services);
}

async function runPull(services: Services, job: Job<{ readonly projectId: number }>): Promise<void> {
  const { db } = services;
  const row = await store.findPullMirror(db.read, job.payload.projectId);
  if (!row) return;
  const started = Date.now();
  await db.write((trx) =>
    store.updatePullMirror(trx, row.project_id, { update_status: 'started', last_update_started_at: started }),
  );
  fault('pull-mirror.started');
  const limit = AbortSignal.timeout(maxRunMs);
  let error: unknown;
  let knownHosts: string | undefined;
  try {
    knownHosts = await pullFromMirror(services, row, AbortSignal.any([job.signal, limit]));
  } catch (cause) {
    // The server is shutting down: the job is retried after the restart.
    if (job.signal.aborted || cause instanceof RunAgain) throw cause;
    error = limit.aborted ? new MirrorProblem('The mirror update took too long to complete.') : cause;
  }
  fault('pull-mirror.pulled');
  await db.write(async (trx) => {
    if (knownHosts !== undefined) await store.updatePullMirror(trx, row.project_id, { known_hosts: knownHosts });
    await recordResult(services, trx, { row, started, error });
    await job.finish(trx);
  });
  await refill(services);
}

interface RunResult {
  readonly row: PullMirrorRow;
  readonly started: number;
  readonly error: unknown;
}

async function recordResult(services: Services, trx: Writer, { row, started, error }: RunResult): Promise<void> {
  const now = Date.now();
  const current = await store.findPullMirror(trx, row.project_id);
  // If the URL was changed meanwhile, a new run has already been queued.
  if (!current || current.encrypted_url !== row.encrypted_url) return;
  const failures = error === undefined ? 0 : current.failures + 1;
  const { mirror_max_delay } = await services.settings.read();
  const delay = delayAfter({ durationMs: now - started, failures }, mirror_max_delay * minute, Math.random());
  const next_update_at = current.next_update_at === null || delay === undefined ? null : now + delay;
  const reason = error === undefined ? null : reasonOf(services, row, error);
  const columns =
    reason === null
      ? ({ update_status: 'finished', last_error: null, last_successful_update_at: now } as const)
      : ({ update_status: 'failed', last_error: reason } as const);
  // The mirror is not scheduled any more, so the maintainers are notified.
  if (reason !== null && delay === undefined) {
    const { project_id: projectId, url } = row;
    await services.announce(trx, 'mirror.failed', { projectId, way: 'pull', url, error: reason });
  }
  await store.updatePullMirror(trx, row.project_id, { ...columns, failures, last_update_at: now, next_update_at });
}

function reasonOf(services: Services, row: PullMirrorRow, error: unknown): string {
  if (error instanceof EgressRefused) return 'The project mirror URL is invalid.';
  const expected = error instanceof MirrorProblem || error instanceof GitError;
  if (!expected) services.log.error({ err: error, project: row.project_id }, 'failed to update a pull mirror');
  const message = error instanceof GitError ? failureOf(error) : error instanceof Error ? error.message : String(error);
  const { username, password } = mirrorAddress(services, row).credentials;
  // Do not mask the user name in our own messages, as it may be an ordinary word.
  const named = username === undefined || error instanceof MirrorProblem ? {} : { username };
  const secrets = { ...named, ...(password === undefined ? {} : { password }) };
  return scrubUrl(withoutSecrets(message, secrets)).slice(0, maxErrorLength);
}
