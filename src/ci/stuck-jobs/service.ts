import type { Services } from '../../access/services.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { takesTags } from '../job-queue/public.ts';
import { type TransitionOptions, transitionJob } from '../jobs/public.ts';
import * as store from './store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A runner has this long to say itself that a job has taken too long. */
const grace = 15 * minute;
const onlineFor = 2 * hour;
/** Runners say that a job runs as soon as they have it. */
const firstWord = 5 * minute;

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** No minutes are left on runners of the instance for this job. */
    'ci.minutes-over': { id: number };
  }
}

/** Looks now and then for jobs that nobody will end. */
export function stuckJobs(services: Services): void {
  services.queue.recurring('jobs.overdue', { everyMs: 10 * minute }, () => endOverdue(services));
  services.queue.recurring('jobs.unheard', { everyMs: minute }, () => endUnheard(services));
  services.queue.recurring('jobs.stuck', { everyMs: hour }, () => endStuck(services));
  services.queue.defineJob('ci.minutes-over', ({ payload: { id } }) => endWithoutMinutes(services, id));
}

async function drop(services: Services, id: number, options: TransitionOptions): Promise<void> {
  await services.db.write((trx) => transitionJob(services, trx, id, 'drop', options));
}

/** Goes through what a query finds, page by page: what stays as it is must not hide what comes after it. */
async function each<T extends { readonly id: number }>(
  page: (beyond: number) => Promise<readonly T[]>,
  work: (row: T) => Promise<void>,
): Promise<void> {
  for (let beyond = 0; ; ) {
    const rows = await page(beyond);
    const last = rows.at(-1);
    if (!last) return;
    for (const row of rows) await work(row);
    beyond = last.id;
  }
}

/** Gives jobs out again that no runner knows of: the server, or the connection, broke off before the answer arrived. */
export async function endUnheard(services: Services, now = Date.now()): Promise<void> {
  await each(
    (beyond) => store.unheardJobs(services.db.read, now - firstWord, beyond),
    ({ id }) => drop(services, id, { failureReason: 'scheduler_failure' }),
  );
}

/** Ends jobs whose time was over long ago. */
export async function endOverdue(services: Services, now = Date.now()): Promise<void> {
  await each(
    (beyond) => store.overdueJobs(services.db.read, now - grace, beyond),
    async ({ id, status, started_at, timeout }) => {
      const finished_at = (started_at ?? now) + (timeout ?? 3600) * 1000;
      await drop(services, id, {
        failureReason: 'job_execution_timeout',
        change: { finished_at, ...(status === 'canceling' ? { failure_reason: 'job_execution_server_timeout' } : {}) },
      });
    },
  );
}

/** Ends jobs that no runner takes, or that their runners say nothing of any more. */
export async function endStuck(services: Services, now = Date.now()): Promise<void> {
  const { read } = services.db;
  const stuck = { failureReason: 'stuck_or_timeout_failure' };
  await each(
    (beyond) => store.silentJobs(read, now - hour, beyond),
    ({ id }) => drop(services, id, stuck),
  );
  const known = new Map<string, boolean>();
  await each(
    (beyond) => store.waitingJobs(read, now - hour, beyond),
    async (job) => {
      const old = Math.max(job.created_at, job.updated_at) <= now - day;
      if (old || !(await hasRunner(services, job, known, now))) await drop(services, job.id, stuck);
    },
  );
  await each(
    async (beyond) => (await store.missedJobs(read, now - hour, beyond)).map((id) => ({ id })),
    ({ id }) => drop(services, id, { failureReason: 'stale_schedule' }),
  );
}

/** Ends a job that runners of the instance may not have, unless one of its project or groups would take it. */
async function endWithoutMinutes(services: Services, id: number): Promise<void> {
  const job = await store.waitingJob(services.db.read, id);
  if (!job || job.instance_runners === 1 || (await hasRunner(services, job, new Map(), Date.now()))) return;
  await drop(services, id, { failureReason: 'ci_quota_exceeded' });
}

type Waiting = Awaited<ReturnType<typeof store.waitingJobs>>[number];

/** Whether a runner is there that would take a job. Asked once for all that are alike. */
async function hasRunner(services: Services, job: Waiting, known: Map<string, boolean>, now: number): Promise<boolean> {
  const key = `${job.project_id} ${job.protected} ${job.tag_list}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const runners = await store.runnersFor(services.db.read, job.project_id, {
    instance: job.instance_runners === 1,
    group: job.group_runners === 1,
    since: now - onlineFor,
  });
  const wanted = storedStrings(job.tag_list);
  const found = runners.some(
    ({ tag_list, run_untagged, access_level }) =>
      (access_level !== 'ref_protected' || job.protected === 1) &&
      takesTags({ tags: storedStrings(tag_list), runUntagged: run_untagged === 1 }, wanted),
  );
  known.set(key, found);
  return found;
}
