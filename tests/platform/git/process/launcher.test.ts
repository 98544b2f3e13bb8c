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

describe('the process that starts others', () => {
  const launcher = new Launcher();
  const shell = (script: string, extra = 0): Launched =>
    launcher.launch({ program: '/bin/sh', args: ['-c', script], env, extra });

  before(() => until(() => launcher.ready()));

  it('hands over input, output, errors and the exit code', async () => {
    const child = shell('cat; echo done; echo oops >&2; exit 3');
    child.stdin.end('hello ');
    const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
    assert.deepEqual([out, errors, code], ['hello done\n', 'oops\n', 3]);
  });

  it('gives a process its environment and nothing of the server', async () => {
    const child = launcher.launch({ program: '/usr/bin/env', args: [], env: { ...env, ONLY: 'this' }, extra: 0 });
    const names = (await text(child.stdout)).split('\n').map((line) => line.split('=')[0]);
    assert.deepEqual(names.filter(Boolean).sort(), ['ONLY', 'PATH']);
  });

  it('keeps apart what is asked for at once', async () => {
    const all = Array.from({ length: 100 }, async (_, index) => {
      const child = shell('cat');
      child.stdin.end(`${index} ${'x'.repeat(index * 1000)}`);
      assert.equal(await text(child.stdout), `${index} ${'x'.repeat(index * 1000)}`);
      assert.equal(await child.ended, 0);
    });
    await Promise.all(all);
  });

  it('hands over a hundred megabytes to whoever reads slowly', async () => {
    const child = shell('head -c 104857600 /dev/zero');
    let size = 0;
    for await (const chunk of child.stdout) {
      size += (chunk as Buffer).length;
      if (size % 97 === 0) await new Promise(setImmediate);
    }
    assert.equal(size, 104_857_600);
    assert.equal(await child.ended, 0);
  });

  it('relays further pipes both ways, so that shells can wait for them', async () => {
    const child = shell('echo question >&3; IFS= read -r answer <&4; echo "$answer"', 2);
    const [questions, answers] = child.fds;
    questions?.once('data', (asked: Buffer) => answers?.write(`answer to ${asked}`));
    assert.equal(await text(child.stdout), 'answer to question\n');
    assert.equal(await child.ended, 0);
  });

  it('ends a process with all that it has started, also one that is only just asked for', async () => {
    const running = shell('echo started; sleep 1000 & sleep 1000; echo never');
    await new Promise((resolve) => running.stdout.once('data', resolve));
    running.kill();
    assert.equal(await running.ended, null);
    const early = shell('sleep 1000');
    early.kill();
    assert.equal(await early.ended, null);
    early.kill();
  });

  it('does not wait for output that nobody reads', async () => {
    assert.equal(await shell('echo unread').ended, 0);
  });

  it('says so when a program is not there, or its reader has left', async () => {
    await assert.rejects(launcher.launch({ program: '/no/such/program', args: [], env, extra: 0 }).ended, /ENOENT/);
    // A shell that ignores the broken pipe ends its loop by itself, with the code of what it did last.
    const child = shell('while echo more; do :; done; exit 9');
    child.stdout.destroy();
    assert.notEqual(await child.ended, 0);
  });
});

describe('a launcher that is lost', () => {
  const own = mkdtempSync(join(tmpdir(), 'hearth-launchers-'));
  after(() => rmSync(own, { recursive: true, force: true }));

  /** One that keeps its folder in another: it makes that when it is first asked for. */
  const begunIn = (folder: string) => {
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const launcher = new Launcher();
      assert.equal(launcher.ready(), false, 'until it listens, others start what is asked for');
      return launcher;
    } finally {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
    }
  };

  it('ends what it had started, fails what waits, and leaves nothing behind', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    const child = launcher.launch({ program: '/bin/sh', args: ['-c', 'echo $PPID; sleep 1000'], env, extra: 0 });
    const parent = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))));
    // What it says comes in order: after this, that the first one runs has been heard of.
    await launcher.launch({ program: '/bin/true', args: [], env, extra: 0 }).ended;
    process.kill(parent, 'SIGKILL');
    await assert.rejects(child.ended, /was lost/);
    assert.equal(launcher.ready(), false);
    // Only once all have ended that could write to it.
    await until(() => child.stdout.readableEnded);
    assert.deepEqual(readdirSync(own), []);
  });

  it('is given up when its folder is cleared away', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    for (const folder of readdirSync(own)) rmSync(join(own, folder), { recursive: true });
    await assert.rejects(launcher.launch({ program: '/bin/true', args: [], env, extra: 0 }).ended, /was lost/);
    assert.equal(launcher.ready(), false);
  });

  it('is done without where it can have no folder', () => {
    begunIn('/proc/no/such/folder');
  });

  it('stays when the whole group is told to stop: the server still needs it to finish', async () => {
    const launcher = begunIn(own);
    await until(() => launcher.ready());
    const child = launcher.launch({ program: '/bin/sh', args: ['-c', 'kill -TERM $PPID; cat'], env, extra: 0 });
    child.stdin.end('still here');
    assert.equal(await text(child.stdout), 'still here');
    assert.equal(await child.ended, 0);
  });
});
