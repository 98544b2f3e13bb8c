import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { zipOf } from '../../tests/ci/artifacts/zip.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { post, put, token } from '../seed.ts';
import { seedPeople } from './issues-seed.ts';
import { type Numbers, requestsFor } from './jobs-requests.ts';
import { jobsOfEach, type Place, seedJobs } from './jobs-seed.ts';
import { flatnessOptions, flatnessTable, measureFlatness } from './measure.ts';

// node bench/scale/jobs.ts [--jobs 1000000] [--small 10000] [--postgres] [--only TEXT] [--above RATIO] [--data DIR]:
// --only is a part of a request's name, or several separated by |; --data a directory to keep and reuse
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000000' },
    ...flatnessOptions,
  },
});
const sizes = { small: Number(values.small), large: Number(values.jobs) };
const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a/${n}.txt`, `file ${n}`]));

interface Job {
  readonly id: number;
  readonly token: string;
}

/** Creates a group with one project, its runner, and a job with artifacts. */
async function createPlace(api: string, name: string): Promise<Omit<Place, 'firstUser'>> {
  const group = await post(`${api}/groups`, { name, path: name, visibility: 'private' });
  const params = { name: 'it', namespace_id: group.id, visibility: 'private', initialize_with_readme: true };
  const project = await post(`${api}/projects`, params);
  const runner = (await post(`${api}/user/runners`, { runner_type: 'project_type', project_id: project.id })) as Job;
  await post(`${api}/projects/${project.id}/repository/files/.gitlab-ci.yml`, {
    branch: 'shelf',
    start_branch: 'main',
    content: 'made: {script: make, artifacts: {paths: [a/]}}',
    commit_message: 'Make files',
  });
  const job = await jobFor(api, runner);
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(await zipOf(files))]), 'artifacts.zip');
  const sent = { method: 'POST', headers: { 'job-token': job.token }, body: form };
  const uploaded = await fetch(`${api}/jobs/${job.id}/artifacts`, sent);
  if (uploaded.status !== 201) throw new Error(`the files of a job were refused: ${await uploaded.text()}`);
  await sendJson('PUT', `${api}/jobs/${job.id}`, { token: job.token, state: 'success' });
  const commits = await get<{ id: string }[]>(api, `/projects/${project.id}/repository/commits?ref_name=main`);
  return { project: project.id, runner: runner.id, sha: commits[0]?.id ?? '' };
}

async function jobFor(api: string, runner: Job): Promise<Job> {
  for (;;) {
    const answer = await sendJson('POST', `${api}/jobs/request`, { token: runner.token, system_id: 's_000000000000' });
    if (answer.status === 201) return (await answer.json()) as Job;
    await answer.arrayBuffer();
  }
}

function sendJson(method: string, url: string, body: unknown): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function get<T>(api: string, path: string): Promise<T> {
  return (await (await fetch(`${api}${path}`, { headers: { 'private-token': token } })).json()) as T;
}

async function numbersOf(api: string, place: string): Promise<Numbers> {
  const project = `/projects/${place}%2Fit`;
  const runners = await get<{ id: number }[]>(api, `${project}/runners?type=project_type`);
  const pipelines = await get<{ id: number }[]>(api, `${project}/pipelines?per_page=50`);
  const [created] = await get<{ id: number }[]>(api, `${project}/jobs?ref=shelf`);
  return { runner: runners[0]?.id ?? 0, pipelines: pipelines.map(({ id }) => id), job: created?.id ?? 0 };
}

const port = await freePort();
const data = values.data ?? (await mkdtemp(join(tmpdir(), 'hearth-scale-')));
const seeded = existsSync(join(data, 'hearth.db'));
const postgres = values.postgres ? await startPostgres() : undefined;
const where = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
const flags = postgres ? ['--database-url', postgres.url] : [];
let server = await startHearth(data, port, token, flags);
try {
  const api = `${server.url}/api/v4`;
  if (!seeded) {
    const furnished = { small: await createPlace(api, 'small'), large: await createPlace(api, 'large') };
    await stop(server);
    const firstUser = await seedPeople(where);
    for (const size of ['small', 'large'] as const) {
      await seedJobs(where, { ...furnished[size], firstUser }, sizes[size]);
    }
    server = await startHearth(data, port, token, flags);
  }
  await put(`${api}/application/settings`, { project_jobs_api_rate_limit: 0 });
  const numbers = { small: await numbersOf(api, 'small'), large: await numbersOf(api, 'large') };
  const only = values.only.split('|');
  const questions = requestsFor(numbers).filter(({ name }) => only.some((words) => name.includes(words)));
  console.log(
    `${sizes.small} jobs beside ${sizes.large}, ${jobsOfEach} of a pipeline, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const [head, line] = flatnessTable([]).split('\n');
  console.log(`${head}\n${line}`);
  for (const question of questions) {
    const rows = await measureFlatness(api, token, { small: 'small', large: 'large' }, [question]);
    const shown = rows.filter(({ small, large }) => large / small >= Number(values.above));
    if (shown.length > 0) console.log(flatnessTable(shown).split('\n')[2]);
  }
  console.log(`${questions.length} questions, load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await stop(server);
  await postgres?.stop();
  if (values.data === undefined) await rm(data, { recursive: true, force: true });
}
