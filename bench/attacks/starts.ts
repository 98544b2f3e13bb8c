import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryPath } from '../../src/platform/git/repository.ts';
import { freePort, root, type Started, startHearth, stop } from '../processes.ts';
import { post, put, token } from '../seed.ts';
import type { Attack } from './attack.ts';

/** Creates a data directory with one project, to be damaged. */
async function usedData(home: string): Promise<{ data: string; project: number; kill(): Promise<void> }> {
  const data = await mkdtemp(join(home, 'data-'));
  const server = await startHearth(data, await freePort(), token);
  const { id } = await post(`${server.url}/api/v4/projects`, { name: 'kept', initialize_with_readme: true });
  const kill = async () => {
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
  };
  return { data, project: id, kill };
}

/** Starts a server that must refuse the directory; returns the printed reason, which must be one sentence. */
async function refusal(data: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const args = [join(root, 'bin/hearth.js'), 'serve', '--port', `${await freePort()}`, '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: root, env });
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [output] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearTimeout(late);
  if (child.exitCode !== 1)
    throw new Error(`did not refuse: ${child.exitCode ?? 'still running'} ${output.slice(0, 300)}`);
  if (/^\s+at /m.test(output)) throw new Error(`a stack trace: ${output.slice(0, 300)}`);
  return output.trim().split('\n').at(-1) ?? '';
}

async function repairsHeadLock(home: string): Promise<string> {
  const { data, project, kill } = await usedData(home);
  await kill();
  const repo = repositoryPath(join(data, 'repositories'), project);
  await writeFile(join(repo, 'HEAD.lock'), 'ref: refs/heads/other\n');
  const again = await startHearth(data, await freePort(), token);
  try {
    await post(`${again.url}/api/v4/projects/${project}/repository/branches?branch=next&ref=main`, {});
    await put(`${again.url}/api/v4/projects/${project}`, { default_branch: 'next' });
    return `started in ${Math.round(again.startMs)} ms, and HEAD can be changed`;
  } finally {
    await stop(again);
  }
}

/** Measures the shutdown after SIGTERM with an unfinished request. */
async function endsWithOpenBody(home: string): Promise<string> {
  const data = await mkdtemp(join(home, 'data-'));
  const port = await freePort();
  const server = await startHearth(data, port, token, ['--stop-deadline', '2s']);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /api/v4/projects HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{');
  await fetch(`${server.url}/-/liveness`);
  const from = performance.now();
  await Promise.race([
    stop(server),
    new Promise((_, reject) => setTimeout(reject, 15_000, new Error('still running after 15 s')).unref()),
  ]);
  return `ended after ${Math.round(performance.now() - from)} ms, with a deadline of 2 s`;
}

/** The same, with standard error on a full pipe that nothing reads. */
async function endsWithFullLog(home: string): Promise<string> {
  const data = await mkdtemp(join(home, 'data-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['bin/hearth.js', 'serve', '--port', `${port}`, '--data', data, '--log-level', 'debug'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: root });
  const isUp = () =>
    fetch(`${url}/-/liveness`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
  for (let count = 0; count < 2000; count += 1) await fetch(`${url}/api/v4/projects?page=${count}`);
  const server: Started = { child, url, startMs: 0 };
  const from = performance.now();
  const late = setTimeout(() => child.kill('SIGKILL'), 45_000);
  await stop(server);
  clearTimeout(late);
  if (child.signalCode !== null) throw new Error('had to be killed with SIGKILL');
  return `ended after ${Math.round(performance.now() - from)} ms`;
}

async function withoutGit(home: string): Promise<string> {
  const data = await mkdtemp(join(home, 'data-'));
  return refusal(data, { ...process.env, PATH: '/nonexistent' });
}

async function damagedDatabase(home: string): Promise<string> {
  const { data, kill } = await usedData(home);
  await kill();
  for (const name of await readdir(data)) {
    if (name !== 'hearth.db' && name !== 'hearth.db-wal') continue;
    const file = await open(join(data, name), 'r+');
    await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, 0);
    await file.close();
  }
  return refusal(data);
}

async function withoutDatabase(home: string): Promise<string> {
  const { data, kill } = await usedData(home);
  await kill();
  await mkdir(join(data, 'elsewhere'));
  for (const name of ['hearth.db', 'hearth.db-wal', 'hearth.db-shm']) {
    await rename(join(data, name), join(data, 'elsewhere', name)).catch(() => undefined);
  }
  return refusal(data);
}

/** A file in place of the directory, which not even root can use. */
async function unusableDirectory(home: string): Promise<string> {
  const data = join(home, 'a-file');
  await writeFile(data, '');
  await chmod(data, 0o400);
  await utimes(data, 0, 0);
  return refusal(data);
}

const start = (item: number, name: string, run: (home: string) => Promise<string>): Attack => ({
  item,
  name,
  run: ({ home }) => run(home),
});

/** Attacks on startup and shutdown. */
export const startAttacks: readonly Attack[] = [
  start(3, 'HEAD.lock left by a kill', repairsHeadLock),
  start(4, 'the database is missing, the repositories exist', withoutDatabase),
  start(6, 'SIGTERM with an unfinished body', endsWithOpenBody),
  start(6, 'SIGTERM with a full log pipe', endsWithFullLog),
  start(11, 'no git', withoutGit),
  start(11, 'a damaged database', damagedDatabase),
  start(11, 'a data directory that is a file', unusableDirectory),
];
