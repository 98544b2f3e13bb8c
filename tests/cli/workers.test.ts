import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Hearth } from './hearth.ts';

test('several processes serve one port; one that dies is replaced, and all end together', async () => {
  const { server, url, workers } = await startWorkers();
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

test('workers do not outlive a primary that was killed', async () => {
  const { server } = await startWorkers();
  server.kill('SIGKILL');
  // Each worker holds the standard output of the primary open, and only then is that closed.
  assert.equal((await server.ended).signal, 'SIGKILL');
});

async function startWorkers() {
  const server = new Hearth(['serve', '--ephemeral', '--workers', '2']);
  const { url } = JSON.parse(await server.line(/./)) as { url: string };
  return { server, url, workers: await childrenOf(server) };
}

function childrenOf({ child }: Hearth): Promise<string[]> {
  return new Promise((resolve) => {
    execFile('pgrep', ['-P', String(child.pid)], (_none, printed) => resolve(printed.split('\n').filter(Boolean)));
  });
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate();
}
