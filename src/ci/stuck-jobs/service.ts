import type { Services } from '../../access/services.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { matchesTags } from '../job-queue/public.ts';
import { type TransitionOptions, transitionJob } from '../jobs/public.ts';
import * as store from './store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Time given to the runner to report the timeout itself. */
const timeoutGrace = 15 * minute;
const onlineTimeout = 2 * hour;
/** Runners report a job as running as soon as they receive it. */
const firstReportTimeout = 5 * minute;

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Drops a job whose namespace has no compute minutes left on instance runners. */
    'ci.minutes-over': { id: number };
  }
}

/** Registers the recurring jobs that drop stuck CI jobs. */
export function stuckJobs(services: Services): void {
  services.queue.recurring('jobs.overdue', { everyMs: 10 * minute }, () => dropOverdueJobs(services));
  services.queue.recurring('jobs.unheard', { everyMs: minute }, () => retryUnreportedJobs(services));
  services.queue.recurring('jobs.stuck', { everyMs: hour }, () => dropStuckJobs(services));
  services.queue.defineJob('ci.minutes-over', ({ payload: { id } }) => dropWithoutMinutes(services, id));
}

async function drop(services: Services, id: number, options: TransitionOptions): Promise<void> {
  await services.db.write((trx) => transitionJob(services, trx, id, 'drop', options));
}

/** Iterates over query results by ID: rows that are left unchanged must not block the ones after them. */
async function each<T extends { readonly id: number }>(
  page: (afterId: number) => Promise<readonly T[]>,
  work: (row: T) => Promise<void>,
): Promise<void> {
  for (let afterId = 0; ; ) {
    const rows = await page(afterId);
    const last = rows.at(-1);
    if (!last) return;
    for (const row of rows) await work(row);
    afterId = last.id;
  }
}

/**
 * Retries jobs whose runner never received them because the server or the connection failed before the response
 * arrived.
 */
export async function retryUnreportedJobs(services: Services, now = Date.now()): Promise<void> {
  await each(
    (afterId) => store.unreportedJobs(services.db.read, now - firstReportTimeout, afterId),
    ({ id }) => drop(services, id, { failureReason: 'scheduler_failure' }),
  );
}

/** Drops jobs whose timeout has passed. */
export async function dropOverdueJobs(services: Services, now = Date.now()): Promise<void> {
  await each(
    (afterId) => store.overdueJobs(services.db.read, now - timeoutGrace, afterId),
    async ({ id, status, started_at, timeout }) => {
      const finished_at = (started_at ?? now) + (timeout ?? 3600) * 1000;
      await drop(services, id, {
        failureReason: 'job_execution_timeout',
        change: { finished_at, ...(status === 'canceling' ? { failure_reason: 'job_execution_server_timeout' } : {}) },
      });
    },
  );
}

/** Drops jobs that no runner picks up and jobs whose runner stopped reporting. */
export async function dropStuckJobs(services: Services, now = Date.now()): Promise<void> {
  const { read } = services.db;
  const stuck = { failureReason: 'stuck_or_timeout_failure' };
  await each(
    (afterId) => store.silentJobs(read, now - hour, afterId),
    ({ id }) => drop(services, id, stuck),
  );
  const cache = new Map<string, boolean>();
  await each(
    (afterId) => store.waitingJobs(read, now - hour, afterId),
    async (job) => {
      const old = Math.max(job.created_at, job.updated_at) <= now - day;
      if (old || !(await hasRunner(services, job, cache, now))) await drop(services, job.id, stuck);
    },
  );
  await each(
    async (afterId) => (await store.missedJobs(read, now - hour, afterId)).map((id) => ({ id })),
    ({ id }) => drop(services, id, { failureReason: 'stale_schedule' }),
  );
}

/** Drops a job that instance runners may not run, unless a group or project runner is available. */
async function dropWithoutMinutes(services: Services, id: number): Promise<void> {
  const job = await store.waitingJob(services.db.read, id);
  if (!job || job.instance_runners === 1 || (await hasRunner(services, job, new Map(), Date.now()))) return;
  await drop(services, id, { failureReason: 'ci_quota_exceeded' });
}

type Waiting = Awaited<ReturnType<typeof store.waitingJobs>>[number];

/** Whether an online runner could take a job. Cached per project, ref protection and tags. */
async function hasRunner(services: Services, job: Waiting, cache: Map<string, boolean>, now: number): Promise<boolean> {
  const key = `${job.project_id} ${job.protected} ${job.tag_list}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const runners = await store.runnersFor(services.db.read, job.project_id, {
    instance: job.instance_runners === 1,
    group: job.group_runners === 1,
    since: now - onlineTimeout,
  });
  const wanted = storedStrings(job.tag_list);
  const found = runners.some(
    ({ tag_list, run_untagged, access_level }) =>
      (access_level !== 'ref_protected' || job.protected === 1) &&
      matchesTags({ tags: storedStrings(tag_list), runUntagged: run_untagged === 1 }, wanted),
  );
  cache.set(key, found);
  return found;
}
