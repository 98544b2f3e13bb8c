import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { cpuOf, freePort, memoryOf, startHearth, stop } from './processes.ts';
import { post, put, token } from './seed.ts';

// node bench/job-logs.ts [--jobs 20] [--megabytes 8] [--postgres]: jobs append to their logs concurrently, while parts
// of them are read
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20' },
    megabytes: { type: 'string', default: '8' },
    postgres: { type: 'boolean', default: false },
  },
});
const jobs = Number(values.jobs);
const bytesOfEach = Number(values.megabytes) * 1024 * 1024;
/** GitLab Runner sends everything it has at once, up to a megabyte. */
const parts = { small: 16 * 1024, large: 1024 * 1024 };

interface Job {
  readonly id: number;
  readonly token: string;
}

const line = `${'a line that a compiler has written, with a number and a path/to/some/file.c:123 '.padEnd(127)}\n`;

/** Requests a job; returns an empty list if none is available yet. */
async function jobFor(api: string, runner: Job): Promise<Job[]> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token: runner.token });
  const answer = await fetch(`${api}/jobs/request`, { method: 'POST', headers, body });
  const text = await answer.text();
  return answer.status === 201 ? [JSON.parse(text) as Job] : [];
}

async function writeLog(api: string, job: Job, size: number): Promise<void> {
  const text = line.repeat(size / line.length);
  for (let sent = 0; sent < bytesOfEach; sent += size) {
    const headers = {
      'job-token': job.token,
      'content-type': 'text/plain',
      'content-range': `${sent}-${sent + size - 1}`,
    };
    const answer = await fetch(`${api}/jobs/${job.id}/trace`, { method: 'PATCH', headers, body: text });
    if (answer.status !== 202) throw new Error(`a part of a log: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

const data = await mkdtemp(join(tmpdir(), 'hearth-bench-logs-'));
const port = await freePort();
const postgres = values.postgres ? await startPostgres({ durable: true }) : undefined;
const flags = postgres ? ['--database-url', postgres.url] : [];
const server = await startHearth(data, port, token, ['--log-level', 'error', ...flags]);
try {
  const api = `${server.url}/api/v4`;
  await put(`${api}/application/settings`, { runner_jobs_patch_trace_api_limit: 0 });
  const project = await post(`${api}/projects`, { name: 'logs', initialize_with_readme: true });
  const content = Array.from({ length: jobs }, (_, n) => `job ${n}: {script: x}\n`).join('');
  const file = { branch: 'main', content, commit_message: 'Add jobs [skip ci]' };
  await post(`${api}/projects/${project.id}/repository/files/.gitlab-ci.yml`, file);
  const runner = (await post(`${api}/user/runners`, { runner_type: 'instance_type' })) as Job;
  for (const [name, size] of Object.entries(parts)) {
    await post(`${api}/projects/${project.id}/pipeline`, { ref: 'main' });
    const taken: Job[] = [];
    while (taken.length < jobs) taken.push(...(await jobFor(api, runner)));
    const before = { cpu: cpuOf(server), from: performance.now() };
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, memoryOf(server))), 50);
    await Promise.all(taken.map((job) => writeLog(api, job, size)));
    clearInterval(watch);
    const seconds = (performance.now() - before.from) / 1000;
    const megabytes = (jobs * bytesOfEach) / 1024 / 1024;
    const cpu = (cpuOf(server) - before.cpu) / megabytes;
    console.log(
      `${jobs} logs at once in ${name} parts of ${size / 1024} KiB: ${(megabytes / seconds).toFixed(1)} MiB/s, ` +
        `${cpu.toFixed(1)} ms CPU per MiB, peak memory ${most} MB, load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
} finally {
  await stop(server);
  await postgres?.stop();
  await rm(data, { recursive: true, force: true, maxRetries: 10 });
}
