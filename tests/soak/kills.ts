/**
 * Kills the server again and again while people push and commit, then looks whether anything that was acknowledged is
 * gone. `npm run soak -- 100` for a hundred kills. Not part of `npm test`: it takes minutes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const kills = Number(process.argv[2] ?? 100);
const token = 'glpat-soak-root-token';
const root = join(import.meta.dirname, '../..');
const place = await mkdtemp(join(tmpdir(), 'hearth-soak-'));
const data = join(place, 'data');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const remote = `http://root:${token}@127.0.0.1:${port}/root/soak.git`;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address() as { port: number };
  probe.close();
  return free;
}

async function start() {
  const args = [join(root, 'bin/hearth.ts'), 'serve', '--port', `${port}`, '--data', data, '--root-token', token];
  const child = spawn(process.execPath, [...args, '--log-level', 'error'], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    if (
      await fetch(`${url}/-/readiness`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return child;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { 'private-token': token, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Commits that somebody was told exist, by branch. */
const acknowledged = new Map<string, string[]>();
let stopping = false;
let attempts = 0;

function acknowledge(branch: string, sha: string): void {
  acknowledged.set(branch, [...(acknowledged.get(branch) ?? []), sha]);
}

async function commitThroughApi(project: number, worker: number): Promise<void> {
  const branch = `api-${worker}`;
  for (let count = 0; !stopping; count += 1) {
    attempts += 1;
    const actions = [{ action: 'create', file_path: `w${worker}/${Date.now()}-${count}.txt`, content: `${count}` }];
    const commit = { branch, start_branch: 'main', commit_message: `api ${worker} ${count}`, actions };
    const known = acknowledged.has(branch) || (await branchExists(project, branch));
    const wanted = known ? { ...commit, start_branch: undefined } : commit;
    const answer = await api('POST', `/projects/${project}/repository/commits`, wanted).catch(() => undefined);
    if (answer?.status === 201) acknowledge(branch, (answer.body as { id: string }).id);
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function branchExists(project: number, branch: string): Promise<boolean> {
  const answer = await api('GET', `/projects/${project}/repository/branches/${branch}`).catch(() => undefined);
  return answer?.status === 200;
}

async function pushThroughGit(worker: number): Promise<void> {
  const branch = `git-${worker}`;
  const clone = join(place, `clone-${worker}`);
  const git = (...args: string[]) =>
    run('git', ['-C', clone, '-c', 'user.name=s', '-c', 'user.email=s@example.com', ...args]);
  await run('git', ['clone', '-q', remote, clone]);
  await git('checkout', '-q', '-b', branch);
  for (let count = 0; !stopping; count += 1) {
    attempts += 1;
    await writeFile(join(clone, `g${worker}-${count}.txt`), `${count}`);
    await git('add', '.');
    await git('commit', '-q', '-m', `git ${worker} ${count}`);
    const { stdout } = await git('rev-parse', 'HEAD');
    await git('push', '-q', 'origin', branch).then(
      () => acknowledge(branch, stdout.trim()),
      () => new Promise((resolve) => setTimeout(resolve, 50)),
    );
  }
}

async function verify(project: number): Promise<string[]> {
  const problems: string[] = [];
  const clone = join(place, 'verify.git');
  await run('git', ['clone', '-q', '--mirror', remote, clone]);
  for (const [branch, shas] of acknowledged) {
    const { stdout } = await run('git', ['-C', clone, 'rev-list', branch], { maxBuffer: 1e9 });
    const there = new Set(stdout.split('\n'));
    for (const sha of shas) if (!there.has(sha)) problems.push(`${branch} lost ${sha}`);
  }
  const { stdout: repositories } = await run('find', [join(data, 'repositories'), '-name', '*.git', '-prune']);
  for (const repository of repositories.trim().split('\n')) {
    const { stderr, stdout } = await run('git', ['-C', repository, 'fsck', '--strict', '--no-dangling'], {
      maxBuffer: 1e9,
    });
    const complaints = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line && !/^(Checking|notice:|dangling)/.test(line));
    problems.push(...complaints.map((line) => `${repository}: ${line}`));
  }
  return [...problems, ...(await unrecorded(project))];
}

/** Every tip that a branch was moved to has one event. */
async function unrecorded(project: number): Promise<string[]> {
  const seen = new Map<string, number>();
  for (let page = 1; ; page += 1) {
    const { body } = await api('GET', `/projects/${project}/events?action=pushed&per_page=100&page=${page}`);
    const events = body as { push_data?: { commit_to: string } }[];
    for (const { push_data } of events)
      if (push_data) seen.set(push_data.commit_to, (seen.get(push_data.commit_to) ?? 0) + 1);
    if (events.length < 100) break;
  }
  return [...acknowledged.values()].flat().flatMap((sha) => {
    const count = seen.get(sha) ?? 0;
    return count === 1 ? [] : [`${sha} has ${count} events`];
  });
}

let server = await start();
const { body } = await api('POST', '/projects', { name: 'soak', initialize_with_readme: true });
const project = (body as { id: number }).id;
const workers = [1, 2, 3].flatMap((worker) => [commitThroughApi(project, worker), pushThroughGit(worker)]);
for (let kill = 1; kill <= kills; kill += 1) {
  await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800));
  server.kill('SIGKILL');
  await once(server, 'exit');
  server = await start();
  if (kill % 10 === 0)
    console.log(`${kill} kills, ${[...acknowledged.values()].flat().length} acknowledged of ${attempts}`);
}
stopping = true;
await Promise.all(workers);
const problems = await verify(project);
server.kill('SIGTERM');
await once(server, 'exit');
await rm(place, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
console.log(
  `${kills} kills, ${[...acknowledged.values()].flat().length} acknowledged writes, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
