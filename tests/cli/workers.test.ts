import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { Hearth, newDirectory } from './hearth.ts';

test('workers share one port, are replaced when they die, and stop together', {
  skip: process.platform !== 'linux' && 'processes are looked up in /proc',
}, async () => {
  const { server, url } = await startWorkers();
  const workers = await childrenOf(server);
  assert.equal(workers.length, 2);
  assert.equal((await fetch(`${url}/-/liveness`)).status, 200);
  process.kill(Number(workers[0]), 'SIGKILL');
  await until(async () => {
    const now = await childrenOf(server);
    return now.length === 2 && !now.includes(`${workers[0]}`);
  });
  assert.equal((await fetch(`${url}/-/liveness`)).status, 200);
  const left = await childrenOf(server);
  server.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.equal(code, 0);
  assert.match(stderr, /a worker died; another takes its place/);
  assert.deepEqual(left.filter(isAlive), []);
});

test('workers exit when the primary is killed', async () => {
  const { server } = await startWorkers();
  server.kill('SIGKILL');
  // Each worker keeps the standard output of the primary open, which closes only when all have exited.
  assert.equal((await server.ended).signal, 'SIGKILL');
});

async function startWorkers() {
  // Leftovers of a killed server are removed by the next one that starts there; nothing else starts in this directory.
  const server = new Hearth(['serve', '--ephemeral', '--workers', '2'], { TMPDIR: await newDirectory() });
  const { url } = JSON.parse(await server.line(/./)) as { url: string };
  return { server, url };
}

async function childrenOf({ child }: Hearth): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, index) => parents[index] === String(child.pid));
}

async function parentOf(pid: string): Promise<string | undefined> {
  // The process may have exited since it was listed.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')')).split(' ')[2];
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
