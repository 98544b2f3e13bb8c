import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { Launched } from '../../../../src/platform/git/process/launched.ts';
import { Launcher } from '../../../../src/platform/git/process/launcher.ts';
import { until } from '../../../support/until.ts';

const env = { PATH: process.env.PATH };

describe('process launcher', () => {
  const launcher = new Launcher();
  const shell = (script: string, extra = 0): Launched =>
    launcher.launch({ program: '/bin/sh', args: ['-c', script], env, extra });

  before(() => until(() => launcher.ready()));

  it('passes on stdin, stdout, stderr and the exit code', async () => {
    const child = shell('cat; echo done; echo oops >&2; exit 3');
    child.stdin.end('hello ');
    const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
    assert.deepEqual([out, errors, code], ['hello done\n', 'oops\n', 3]);
  });

  it('gives a process only the specified environment', async () => {
    const child = launcher.launch({ program: '/usr/bin/env', args: [], env: { ...env, ONLY: 'this' }, extra: 0 });
    const names = (await text(child.stdout)).split('\n').map((line) => line.split('=')[0]);
    assert.deepEqual(names.filter(Boolean).sort(), ['ONLY', 'PATH']);
  });

  it('keeps concurrent processes separate', async () => {
    const all = Array.from({ length: 100 }, async (_, index) => {
      const child = shell('cat');
      child.stdin.end(`${index} ${'x'.repeat(index * 1000)}`);
      assert.equal(await text(child.stdout), `${index} ${'x'.repeat(index * 1000)}`);
      assert.equal(await child.ended, 0);
    });
    await Promise.all(all);
  });

  it('delivers a hundred megabytes to a slow reader', async () => {
    const child = shell('head -c 104857600 /dev/zero');
    let size = 0;
    for await (const chunk of child.stdout) {
      size += (chunk as Buffer).length;
      if (size % 97 === 0) await new Promise(setImmediate);
    }
    assert.equal(size, 104_857_600);
    assert.equal(await child.ended, 0);
  });

  it('relays additional pipes in both directions, readable by shells', async () => {
    const child = shell('echo question >&3; IFS= read -r answer <&4; echo "$answer"', 2);
    const [questions, answers] = child.fds;
    questions?.once('data', (question: Buffer) => answers?.write(`answer to ${question}`));
    assert.equal(await text(child.stdout), 'answer to question\n');
    assert.equal(await child.ended, 0);
  });

  it('kills a process with its children, even before it has started', async () => {
    const running = shell('echo started; sleep 1000 & sleep 1000; echo never');
    await new Promise((resolve) => running.stdout.once('data', resolve));
    running.kill();
    assert.equal(await running.ended, null);
    const early = shell('sleep 1000');
    early.kill();
    assert.equal(await early.ended, null);
    early.kill();
  });

  it('does not wait for unread output', async () => {
    assert.equal(await shell('echo unread').ended, 0);
  });

  it('reports a missing program and ends a process whose output is closed', async () => {
    await assert.rejects(launcher.launch({ program: '/no/such/program', args: [], env, extra: 0 }).ended, /ENOENT/);
    // A shell that ignores the broken pipe ends the loop itself, with the exit code of its last command.
    const child = shell('while echo more; do :; done; exit 9');
    child.stdout.destroy();
    assert.notEqual(await child.ended, 0);
  });
});

describe('launcher failure', () => {
  const own = mkdtempSync(join(tmpdir(), 'hearth-launchers-'));
  after(() => rmSync(own, { recursive: true, force: true }));

  /** Starts a launcher whose folder is created in another folder, on first use. */
  const begunIn = (folder: string) => {
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const launcher = new Launcher();
      assert.equal(launcher.ready(), false, 'not ready until it listens');
      return launcher;
    } finally {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
    }
  };

  it('kills running processes, rejects pending ones, and leaves nothing behind', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    const child = launcher.launch({ program: '/bin/sh', args: ['-c', 'echo $PPID; sleep 1000'], env, extra: 0 });
    const parent = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))));
    // Reports arrive in order: after this one, the start of the first process has been reported.
    await launcher.launch({ program: '/bin/true', args: [], env, extra: 0 }).ended;
    process.kill(parent, 'SIGKILL');
    await assert.rejects(child.ended, /was lost/);
    assert.equal(launcher.ready(), false);
    // Closed only when all processes that could write to it have exited.
    await until(() => child.stdout.readableEnded);
    assert.deepEqual(readdirSync(own), []);
  });

  it('is detected when its folder is removed', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    for (const folder of readdirSync(own)) rmSync(join(own, folder), { recursive: true });
    await assert.rejects(launcher.launch({ program: '/bin/true', args: [], env, extra: 0 }).ended, /was lost/);
    assert.equal(launcher.ready(), false);
  });

  it('is tolerated when no folder can be created', () => {
    begunIn('/proc/no/such/folder');
  });

  it('does not follow a SIGTERM to the process group, because the server still needs the launcher to finish', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    const child = launcher.launch({ program: '/bin/sh', args: ['-c', 'kill -TERM $PPID; cat'], env, extra: 0 });
    child.stdin.end('still here');
    assert.equal(await text(child.stdout), 'still here');
    assert.equal(await child.ended, 0);
  });
});
