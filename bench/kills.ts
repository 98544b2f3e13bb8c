import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryPath } from '../src/platform/git/repository.ts';
import { files, largeFiles, moves, pages, removals, type Send } from './kills-files.ts';
import { errorEvents, issues, merges, pipelines, type Writer } from './kills-writers.ts';
import { freePort, type Started, startHearth, stop } from './processes.ts';

/*
 * `node bench/kills.ts 100`: kills the server that many times, at most a second apart (`100 5000`: five seconds),
 * during git pushes, commits through the API, issues, notes, merges, pipelines, error events, uploads, wiki edits,
 * group transfers and project deletions. Afterwards, checks that nothing acknowledged was lost, duplicated or
 * corrupted.
 */
const kills = Number(process.argv[2] ?? 100);
/** Maximum time between kills in milliseconds; a busy machine needs longer to get anything done. */
const longestPause = Number(process.argv[3] ?? 1000);
const port = await freePort();
const token = 'glpat-kills';
const home = await mkdtemp(join(tmpdir(), 'hearth-kills-'));
// Rate limits would interfere.
const flags = [
  ...['--log-level', 'error'],
  ...['key', 'project', 'address', 'daily'].flatMap((name) => [`--error-${name}-rate`, '0']),
];
const url = `http://127.0.0.1:${port}`;
const remote = `http://x:${token}@127.0.0.1:${port}/root/kills.git`;

let over = false;
/** Acknowledged commits by branch. */
const acknowledged = new Map<string, string[]>();
const acknowledge = (branch: string, commit: string) =>
  acknowledged.set(branch, [...(acknowledged.get(branch) ?? []), commit]);

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; body: never }> {
  const headers = { 'private-token': token, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v4${path}`, { method, headers, body: JSON.stringify(body) ?? null });
  return { status: answer.status, body: (await answer.json()) as never };
}

const send: Send = (method, path, body) =>
  fetch(`${url}/api/v4${path}`, { method, headers: { 'private-token': token }, body: body ?? null });

const sendLarge: Send = (method, path, body) => {
  const authorization = `Basic ${Buffer.from(`root:${token}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/octet-stream' };
  return fetch(`${url}/root/filed.git/gitlab-lfs/objects${path}`, { method, headers, body: body ?? null });
};

function git(folder: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return new Promise((resolve) => {
    execFile('git', args, { cwd: folder, env }, (error, stdout) => resolve({ code: error ? 1 : 0, stdout }));
  });
}

async function pusher(branch: string): Promise<void> {
  const folder = join(home, branch);
  await mkdir(folder);
  await git(folder, 'init', '-q', '-b', branch);
  for (let n = 0; !over; n++) {
    await writeFile(join(folder, `f${n % 20}`), `${n}`);
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-q', '-m', `${n}`);
    const commit = (await git(folder, 'rev-parse', 'HEAD')).stdout.trim();
    if ((await git(folder, 'push', '-q', remote, branch)).code === 0) acknowledge(branch, commit);
  }
}

async function committer(branch: string, project: number): Promise<void> {
  for (let n = 0; !over; n++) {
    const actions = [{ action: 'create', file_path: `f${n}-${Math.random()}`, content: `${n}` }];
    const body = { branch, start_branch: 'main', commit_message: `${n}`, actions };
    const first = { ...body, force: false };
    const again = { branch, commit_message: `${n}`, actions };
    try {
      const answer = await api(
        'POST',
        `/projects/${project}/repository/commits`,
        acknowledged.has(branch) ? again : first,
      );
      if (answer.status === 201) acknowledge(branch, (answer.body as { id: string }).id);
      // The branch exists without having been acknowledged: the server was killed before it could respond.
      else if (!acknowledged.has(branch)) acknowledged.set(branch, []);
    } catch {
      // The server was killed: the request may or may not have succeeded.
    }
  }
}

/** Keeps writing whatever happens to the server. */
async function goOn({ write }: Writer): Promise<void> {
  for (let turn = 0; !over; turn++) {
    try {
      await write(turn);
    } catch {
      // The server was killed: the request may or may not have succeeded.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Other writers, each with its own project. */
async function otherWriters(): Promise<Writer[]> {
  const place = async (name: string) => {
    const { body } = await api('POST', '/projects', { name, initialize_with_readme: true });
    return (body as { id: number }).id;
  };
  const at = async (name: string) => `/projects/${await place(name)}`;
  const filed = await at('filed');
  const built = await at('built');
  const yml = 'one:\n  script: "true"\ntwo:\n  script: "true"\n';
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: yml }];
  const commit = { branch: 'ci', start_branch: 'main', commit_message: '[skip ci] x', actions };
  await api('POST', `${built}/repository/commits`, commit);
  const tracked = await place('tracked');
  const tracking = `/projects/${tracked}/error_tracking`;
  await api('PUT', `${tracking}/settings`, { active: true, integrated: true });
  const { body } = (await api('GET', `${tracking}/client_keys`)) as { body: unknown };
  const [key] = body as [{ public_key: string }];
  const address = `${url}/api/${tracked}/envelope/?sentry_key=${key.public_key}`;
  const group = async (name: string, parent?: number) => {
    const answer = await api('POST', '/groups', { name, path: name, ...(parent && { parent_id: parent }) });
    return (answer.body as { id: number }).id;
  };
  const places = [await group('here'), await group('there')] as const;
  const moved = await group('moved', places[0]);
  const inside = await api('POST', '/projects', { name: 'inside', namespace_id: moved, initialize_with_readme: true });
  const repositories = join(home, 'data', 'repositories');
  return [
    files(send, filed),
    largeFiles(sendLarge),
    pages(api, filed),
    moves(api, places, moved, (inside.body as { id: number }).id),
    removals(api, (id) => existsSync(repositoryPath(repositories, id))),
    issues(api, await at('discussed')),
    merges(api, await at('merged')),
    pipelines(api, built),
    errorEvents(api, `/projects/${tracked}`, address),
  ];
}

async function audit(project: number): Promise<string[]> {
  const repo = repositoryPath(join(home, 'data', 'repositories'), project);
  const env = { ...process.env, GIT_DIR: repo };
  const run = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8' }).trim();
  const problems: string[] = [];
  run('fsck', '--full', '--strict', '--no-dangling');
  for (const [branch, commits] of acknowledged) {
    const history = new Set(run('rev-list', branch).split('\n'));
    for (const commit of commits)
      if (!history.has(commit)) problems.push(`${branch}: ${commit} was acknowledged but is lost`);
    let at: string | null = null;
    const chain: { push_data: { ref: string; commit_from: string | null; commit_to: string | null } }[] = [];
    for (let page = 1; ; page++) {
      const path = `/projects/${project}/events?action=pushed&sort=asc&per_page=100&page=${page}`;
      const { body } = (await api('GET', path)) as unknown as { body: typeof chain };
      chain.push(...body.filter((event) => event.push_data.ref === branch));
      if (body.length < 100) break;
    }
    for (const { push_data } of chain) {
      if (push_data.commit_from !== at)
        problems.push(`${branch}: an event starts at ${push_data.commit_from}, not at ${at}`);
      at = push_data.commit_to;
    }
    const tip = run('rev-parse', branch);
    if (at !== tip) problems.push(`${branch}: the events end at ${at}, the branch at ${tip}`);
  }
  return problems;
}

async function main(): Promise<void> {
  const data = join(home, 'data');
  let server: Started = await startHearth(data, port, token, flags);
  const { body } = await api('POST', '/projects', { name: 'kills', initialize_with_readme: true });
  const project = (body as { id: number }).id;
  const writers = await otherWriters();
  const work = [
    ...writers.map(goOn),
    pusher('p1'),
    pusher('p2'),
    pusher('p3'),
    committer('c1', project),
    committer('c2', project),
  ];
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, longestPause * (0.1 + Math.random() * 0.9)));
    server.child.kill('SIGKILL');
    server = await startHearth(data, port, token, flags);
  }
  over = true;
  await Promise.all(work);
  await stop(server);
  server = await startHearth(data, port, token, flags);
  const problems = await audit(project);
  for (const writer of writers) problems.push(...(await writer.audit()));
  await stop(server);
  const count = [...acknowledged.values()].reduce((sum, commits) => sum + commits.length, 0);
  const others = writers.map((writer) => `${writer.count()} ${writer.what}`).join(', ');
  console.log(`${kills} kills, acknowledged: ${count} commits, ${others}; ${problems.length} problems`);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

try {
  await main();
} finally {
  await rm(home, { recursive: true, force: true });
}
