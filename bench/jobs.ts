import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuOf, freePort, memoryOf, type Started, startHearth, stop } from './processes.ts';
import { post, token } from './seed.ts';

/*
 * `node bench/jobs.ts [pipelines] [runners] [kills]`: runs pipelines of ten jobs with simulated runners that long-poll
 * as GitLab Runner does, while the server is killed and restarted. Exits with 1 if a job was lost or assigned twice.
 */
const pipelines = Number(process.argv[2] ?? 1000);
const runners = Number(process.argv[3] ?? 200);
const kills = Number(process.argv[4] ?? 0);
const projects = 5;
const jobsOfEach = 10;
const traceBytes = 2000;
const idlePipelines = 20;

const port = await freePort();
const data = await mkdtemp(join(tmpdir(), 'hearth-bench-jobs-'));
const flags = ['--log-level', 'error', '--job-poll', '20s'];
const api = `http://127.0.0.1:${port}/api/v4`;
const until = async (met: () => boolean) => {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const file = Array.from(
  { length: jobsOfEach },
  (_, n) => `job ${n}:\n  stage: ${n < 5 ? 'build' : 'test'}\n  script: [echo]\n`,
).join('');

/** When each job was assigned, and by which response to which runner. */
const assigned = new Map<number, number>();
const assignedTwice: number[] = [];
const finished = new Set<number>();
/** The server was killed between a report and its response: the job has finished, but the runner does not know. */
const unacknowledged = new Set<number>();
let over = false;
let traced = 0;

/** Retries until the server answers, since it may be down. */
async function persistently(method: string, path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    try {
      const answer = await fetch(`${api}${path}`, { method, ...init });
      if (answer.status < 500) return answer;
      await answer.arrayBuffer();
    } catch (error) {
      if (over) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const json = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function runner(own: string, name: number): Promise<void> {
  let last_update: string | undefined;
  const system_id = `s_${name.toString(16).padStart(12, '0')}`;
  while (!over) {
    let answer: Response;
    try {
      answer = await fetch(`${api}/jobs/request`, { method: 'POST', ...json({ token: own, system_id, last_update }) });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    last_update = answer.headers.get('x-gitlab-last-update') ?? last_update;
    if (answer.status !== 201) {
      await answer.arrayBuffer();
      continue;
    }
    const job = (await answer.json()) as { id: number; token: string };
    if (assigned.has(job.id)) assignedTwice.push(job.id);
    assigned.set(job.id, Date.now());
    await run(job);
  }
}

async function run({ id, token: own }: { id: number; token: string }): Promise<void> {
  const headers = { 'job-token': own, 'content-type': 'text/plain', 'content-range': `0-${traceBytes - 1}` };
  const patched = await persistently('PATCH', `/jobs/${id}/trace`, { headers, body: 'x'.repeat(traceBytes) });
  await patched.arrayBuffer();
  if (patched.status === 202) traced += traceBytes;
  const ended = await persistently('PUT', `/jobs/${id}`, json({ token: own, state: 'success' }));
  await ended.arrayBuffer();
  if (ended.status === 200) finished.add(id);
  else unacknowledged.add(id);
}

interface JobFacts {
  readonly id: number;
  readonly status: string;
  readonly queued_duration: number | null;
}

async function jobsOf(project: number): Promise<JobFacts[]> {
  const jobs: JobFacts[] = [];
  let next: string | undefined = `${api}/projects/${project}/jobs?per_page=100&pagination=keyset&order_by=id&sort=desc`;
  while (next) {
    const answer: Response = await fetch(next, { headers: { 'private-token': token } });
    jobs.push(...((await answer.json()) as JobFacts[]));
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return jobs;
}

const quantile = (values: readonly number[], at: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))] ?? 0;
const delays = (jobs: readonly JobFacts[]) => jobs.flatMap(({ queued_duration: s }) => (s === null ? [] : [s * 1000]));
const formatDelays = (values: readonly number[]) =>
  `p50 ${Math.round(quantile(values, 0.5))} ms, p99 ${Math.round(quantile(values, 0.99))} ms`;

async function main(): Promise<void> {
  let server: Started = await startHearth(data, port, token, flags);
  const ids: number[] = [];
  for (let n = 0; n < projects; n++) {
    const { id } = await post(`${api}/projects`, { name: `p${n}`, initialize_with_readme: true });
    await post(`${api}/projects/${id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      content: file,
      commit_message: 'Add jobs [skip ci]',
    });
    ids.push(id);
  }
  const work: Promise<void>[] = [];
  for (let n = 0; n < runners; n++) {
    const created = await post(`${api}/user/runners`, { runner_type: 'instance_type', description: `r${n}` });
    work.push(runner((created as unknown as { token: string }).token, n));
  }

  // All runners are waiting: measures how long it takes until a job starts.
  const before = cpuOf(server);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const idleCpu = (cpuOf(server) - before) / 3000;
  for (let n = 0; n < idlePipelines; n++) {
    await post(`${api}/projects/${ids[n % projects]}/pipeline`, { ref: 'main' });
    await until(() => finished.size >= (n + 1) * jobsOfEach);
  }
  const waiting = (await Promise.all(ids.map(jobsOf))).flat();

  // More pipelines than the runners can take at once.
  const from = performance.now();
  const start = assigned.size;
  let most = 0;
  let left = pipelines;
  let killed = false;
  const measureMemory = () => {
    if (!killed) most = Math.max(most, memoryOf(server));
  };
  const creators = Array.from({ length: 4 }, async (_, at) => {
    while (left > 0) {
      left--;
      const headers = { 'private-token': token, 'content-type': 'application/json' };
      const body = JSON.stringify({ ref: 'main' });
      const answer = await persistently('POST', `/projects/${ids[(left + at) % projects]}/pipeline`, { headers, body });
      if (answer.status !== 201) throw new Error(`a pipeline was refused: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      measureMemory();
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 1500 + Math.random() * 1500));
    killed = true;
    server.child.kill('SIGKILL');
    server = await startHearth(data, port, token, flags);
    killed = false;
  }
  await Promise.all(creators);
  const createdIn = performance.now() - from;
  // If the server is killed before it responds, the pipeline exists all the same: wait for all that exist.
  for (let quiet = 0, last = -1; quiet < 10; quiet = finished.size === last ? quiet + 1 : 0, last = finished.size) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    measureMemory();
  }
  const seconds = (performance.now() - from) / 1000 - 3;
  const jobs = (await Promise.all(ids.map(jobsOf))).flat();
  over = true;
  await stop(server);
  await Promise.allSettled(work);

  const known = new Set(waiting.map(({ id }) => id));
  const later = jobs.filter(({ id }) => !known.has(id));
  const open = jobs.filter(({ status }) => status !== 'success');
  // Assigned by a server that was killed before its response arrived: the sweep of stuck jobs fails them.
  const orphans = open.filter(({ id, status }) => status === 'running' && !assigned.has(id));
  const lost = open.filter((job) => !orphans.includes(job) && kills === 0);
  const reported = [...finished].filter((id) => open.some((job) => job.id === id));
  console.log(`${runners} runners wait: ${(idleCpu * 100).toFixed(1)} % CPU`);
  console.log(`one pipeline at a time: job start delay ${formatDelays(delays(waiting))}`);
  console.log(
    `${pipelines} pipelines of ${jobsOfEach} jobs at once: created in ${(createdIn / 1000).toFixed(1)} s, ` +
      `${Math.round((assigned.size - start) / seconds)} jobs started per second, start delay ${formatDelays(delays(later))}`,
  );
  console.log(`${Math.round(traced / 1000 / seconds)} kB of logs per second, peak memory ${most} MB`);
  console.log(
    `${jobs.length} jobs, ${finished.size} reported as finished, ${assignedTwice.length} assigned twice, ${lost.length} lost, ` +
      `${reported.length} reported but still open, ${orphans.length} left to the sweep after ${kills} kills`,
  );
  process.exitCode = assignedTwice.length + lost.length + reported.length === 0 ? 0 : 1;
}

try {
  await main();
} finally {
  await rm(data, { recursive: true, force: true, maxRetries: 10 });
}
