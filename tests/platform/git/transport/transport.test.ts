import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { run } from '../../../../src/platform/git/process/command.ts';
import { installHooks } from '../../../../src/platform/git/transport/hooks.ts';
import { pktLine } from '../../../../src/platform/git/transport/pkt-line.ts';
import type { Push, ReceiveResult } from '../../../../src/platform/git/transport/receive.ts';
import { GitServer } from '../git-server.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const clone = join(work.folder, 'clone');
let server: GitServer;
let url = '';

const execute = promisify(execFile);
const identity = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@e', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@e' };

/** Runs stock git as a client; returns its output including stderr. */
async function git(cwd: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: work.folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...identity,
  };
  try {
    const { stdout, stderr } = await execute('git', args, { cwd, env, maxBuffer: 1 << 26 });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const failed = error as { code: number; stdout: string; stderr: string };
    return { code: failed.code, text: failed.stdout + failed.stderr };
  }
}

async function ok(cwd: string, ...args: string[]): Promise<string> {
  const { code, text } = await git(cwd, ...args);
  assert.equal(code, 0, `git ${args.join(' ')}: ${text}`);
  return text.trim();
}

async function commitFile(name: string, content: string | Buffer): Promise<string> {
  writeFileSync(join(clone, name), content);
  await ok(clone, 'add', '-A');
  await ok(clone, 'commit', '-q', '-m', name);
  return ok(clone, 'rev-parse', 'HEAD');
}

before(async () => {
  for (let i = 0; i < 5; i++) work.commit({ [`f${i}`]: `${i}\n`, dir: null, [`deep/${i}`]: randomBytes(2000) });
  work.git('update-ref', 'refs/keep-around/x', 'HEAD');
  work.git('update-ref', 'refs/merge-requests/1/head', 'HEAD');
  server = new GitServer(work.repo, await installHooks(join(work.folder, 'run')));
  url = await server.listen();
  await ok(work.folder, 'clone', '-q', url, clone);
});
beforeEach(() => {
  server.results.length = 0;
  server.encodings.length = 0;
  server.maxInputBytes = undefined;
  server.hooks = { onPreReceive: async () => undefined, onPostReceive: async () => [] };
});
after(() => {
  server.close();
  work.remove();
});

const quarantines = () => readdirSync(join(work.repo.path, 'objects')).filter((name) => name.startsWith('tmp_'));

test('clone, shallow clone and partial clone work in all protocol versions', async () => {
  for (const [name, args] of Object.entries({
    v2: ['-c', 'protocol.version=2'],
    v1: ['-c', 'protocol.version=1'],
    v0: ['-c', 'protocol.version=0'],
    shallow: ['-c', 'protocol.version=2', '--depth=1'],
    partial: ['--filter=blob:none', '--no-checkout'],
  })) {
    const folder = join(work.folder, name);
    const config = args.filter((_, i) => args[i] === '-c' || args[i - 1] === '-c');
    await ok(work.folder, ...config, 'clone', '-q', ...args.slice(config.length), url, folder);
    assert.equal(await ok(folder, 'rev-parse', 'HEAD'), work.git('rev-parse', 'HEAD'), name);
    const expected = name === 'shallow' ? '1' : '5';
    assert.equal(await ok(folder, 'rev-list', '--count', 'HEAD'), expected, name);
    rmSync(folder, { recursive: true });
  }
  assert.ok(server.results.every((result) => !(result instanceof Error) && result.ok));
});

test('hidden refs are not listed, merge request refs can be fetched', async () => {
  const refs = await ok(clone, 'ls-remote', url);
  assert.match(refs, /refs\/merge-requests\/1\/head/);
  assert.doesNotMatch(refs, /keep-around/);
  await ok(clone, 'fetch', '-q', url, work.git('rev-parse', 'HEAD~2'));
});

test('a push can be inspected in quarantine, with push options, and its messages reach the client', async () => {
  const pushes: Push[] = [];
  const contents: string[] = [];
  const moved: unknown[] = [];
  const before = work.git('rev-parse', 'main');
  server.hooks = {
    onPreReceive: async (push) => {
      pushes.push(push);
      const id = push.changes[0]?.new ?? '';
      contents.push((await run(push.repo, { name: 'cat-file', args: ['blob', `${id}:pushed`] })).stdout.toString());
      await assert.rejects(run(work.repo, { name: 'cat-file', args: ['commit', id] }));
      return undefined;
    },
    onPostReceive: async (push) => {
      moved.push(...push.changes);
      assert.equal(work.git('rev-parse', 'main'), push.changes[0]?.new);
      return ['', 'To create a merge request for main, visit:', '  http://host/x \x1b[31mred', ''];
    },
  };
  const id = await commitFile('pushed', 'new content\n');
  const option = 'merge_request.title=\'a "b" $(touch /tmp/x) `id` \\';
  const text = await ok(clone, 'push', '-o', 'ci.skip', '-o', option, 'origin', 'HEAD:main');
  assert.match(text, /remote: To create a merge request for main, visit:\s*\nremote: {3}http:\/\/host\/x \[31mred/);
  assert.deepEqual(contents, ['new content\n']);
  assert.deepEqual(pushes[0]?.pushOptions, ['ci.skip', option]);
  const change = { ref: 'refs/heads/main', old: before, new: id };
  assert.deepEqual(pushes[0]?.changes, [change]);
  assert.deepEqual(moved, [change]);
  const result = server.results.at(-1) as ReceiveResult;
  assert.equal(result.ok, true);
  assert.deepEqual(result.moved, [change]);
  assert.deepEqual(quarantines(), []);
  work.git('fsck', '--strict');
});

test('a rejection reaches the client and updates nothing', async () => {
  const before = work.git('show-ref');
  server.hooks.onPreReceive = async () =>
    'You are not allowed to push code to protected branches on this project.\nSecond line.';
  await commitFile('refused', 'x');
  const { code, text } = await git(clone, 'push', 'origin', 'HEAD:main', 'HEAD:other');
  assert.equal(code, 1);
  assert.match(
    text,
    /remote: GitLab: You are not allowed to push code to protected branches on this project\.\s*\nremote: Second line\./,
  );
  assert.match(text, /! \[remote rejected\] HEAD -> main \(pre-receive hook declined\)/);
  assert.equal(work.git('show-ref'), before);
  assert.deepEqual(quarantines(), []);
  assert.match((server.results.at(-1) as ReceiveResult).refusal ?? '', /^You are not allowed/);
  await ok(clone, 'reset', '-q', '--hard', 'HEAD~1');
});

test('a failing check rejects the push, and a failing post-receive is never reported as success', async () => {
  await commitFile('thrown', 'x');
  server.hooks.onPreReceive = () => Promise.reject(new Error('database is gone'));
  const refused = await git(clone, 'push', 'origin', 'HEAD:refs/heads/thrown');
  assert.match(refused.text, /remote: GitLab: The server could not check this push/);
  assert.match(String((server.results.at(-1) as ReceiveResult).failure), /database is gone/);
  server.hooks = {
    onPreReceive: async () => undefined,
    onPostReceive: () => Promise.reject(new Error('disk is full')),
  };
  const broken = await git(clone, 'push', 'origin', 'HEAD:refs/heads/thrown');
  assert.notEqual(broken.code, 0);
  await server.ended(2);
  assert.match(String(server.results[1]), /disk is full/);
});

test('deletions, several refs at once, and server refs are handled', async () => {
  const names: string[][] = [];
  server.hooks.onPreReceive = async (push) => {
    names.push(push.changes.map((change) => `${change.ref} ${change.new === null ? 'deleted' : 'set'}`));
    assert.equal(
      push.repo.quarantine === undefined,
      push.changes.every((change) => change.new === null),
    );
    return undefined;
  };
  const many = Array.from({ length: 300 }, (_, i) => `HEAD:refs/heads/many/${i}`);
  await commitFile('many', 'x');
  await ok(clone, 'push', '-q', 'origin', ...many);
  assert.equal(names[0]?.length, 300);
  await ok(clone, 'push', '-q', 'origin', ...many.map((spec) => spec.replace('HEAD', '')));
  assert.equal(names[1]?.filter((name) => name.endsWith('deleted')).length, 300);
  for (const ref of [
    'refs/keep-around/y',
    'refs/merge-requests/9/head',
    'refs/pipelines/1',
    'refs/environments/1',
    'refs/tmp/1',
  ]) {
    const { text } = await git(clone, 'push', 'origin', `HEAD:${ref}`);
    assert.match(text, /deny updating a hidden ref/, ref);
  }
  assert.doesNotMatch(work.git('show-ref'), /refs\/(pipelines|tmp|environments)|keep-around\/y|requests\/9/);
});

test('a large push is streamed, one over the limit is rejected', async () => {
  await commitFile('big', randomBytes(6_000_000));
  server.maxInputBytes = 1_000_000;
  const { code, text } = await git(clone, 'push', 'origin', 'HEAD:refs/heads/big');
  assert.notEqual(code, 0);
  assert.match(text, /pack exceeds maximum allowed size/);
  server.maxInputBytes = 20_000_000;
  await ok(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/big');
  assert.equal(work.git('rev-parse', 'big'), await ok(clone, 'rev-parse', 'HEAD'));
});

test('objects that fail fsck are rejected', async () => {
  const tree = await ok(clone, 'rev-parse', 'HEAD^{tree}');
  const raw = `tree ${tree}\nauthor A <a@e> 99999999999999999999 +0000\ncommitter A <a@e> 1 +0000\n\nbad\n`;
  writeFileSync(join(clone, '.git', 'bad'), raw);
  const id = await ok(clone, 'hash-object', '-t', 'commit', '-w', '--literally', '.git/bad');
  const { code, text } = await git(clone, 'push', 'origin', `${id}:refs/heads/bad`);
  assert.notEqual(code, 0);
  assert.match(text, /badDateOverflow|fsck error/);
  assert.doesNotMatch(work.git('show-ref'), /heads\/bad/);
});

async function post(service: string, body: Buffer | string, headers: Record<string, string> = {}) {
  return fetch(`${url}/${service}`, { method: 'POST', body: new Uint8Array(Buffer.from(body as string)), headers });
}

test('malformed requests get a clean error response', async () => {
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    assert.equal((await post(service, '0000')).status, 200, 'the probe for authentication');
    assert.equal((await post(service, 'garbage')).status, 400);
    assert.equal((await post(service, '0003')).status, 400);
    assert.equal((await post(service, 'ffff')).status, 400);
    assert.equal((await post(service, `${pktLine('want nonsense\n')}0000`)).status, 400);
  }
  const unknown = await post('git-upload-pack', `${pktLine(`want ${'1'.repeat(40)}\n`)}00000009done\n`);
  assert.match(await unknown.text(), /not our ref/);
  const broken = `${pktLine(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0report-status`)}0000PACKbroken`;
  assert.match(await (await post('git-receive-pack', broken)).text(), /unpack|ng refs\/heads\/x/);
  await assert.rejects(post('git-upload-pack', 'not gzip', { 'content-encoding': 'gzip' }));
  await assert.rejects(post('git-upload-pack', 'x', { 'content-encoding': 'br' }));
  assert.doesNotMatch(work.git('show-ref'), /heads\/x/);
});

test('compressed requests are decompressed', async () => {
  const folder = join(work.folder, 'many-haves');
  await ok(work.folder, 'clone', '-q', url, folder);
  for (let i = 0; i < 60; i++) await ok(folder, 'commit', '-q', '--allow-empty', '-m', `${i}`);
  work.commit({ fresh: 'x' });
  await ok(folder, '-c', 'protocol.version=0', 'fetch', '-q');
  assert.ok(server.encodings.includes('gzip'), 'git compressed at least one request');
});

test('a disconnect ends a fetch', async () => {
  work.commit({ huge: randomBytes(30_000_000) });
  const body = `${pktLine(`want ${work.git('rev-parse', 'HEAD')}\n`)}00000009done\n`;
  await new Promise<void>((resolve) => {
    const call = request(`${url}/git-upload-pack`, { method: 'POST' }, (response) => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    });
    call.on('error', () => {});
    call.end(body);
  });
  await server.ended(1);
  assert.ok(server.results[0] instanceof Error);
});

test('a disconnect in the middle of a pushed pack leaves nothing behind', async () => {
  let checks = 0;
  server.hooks.onPreReceive = async () => {
    checks++;
    return undefined;
  };
  const head = `${pktLine(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/half\0report-status`)}0000PACK\0\0\0\x02\0\0\0\x05`;
  const call = request(`${url}/git-receive-pack`, { method: 'POST', headers: { 'content-length': '100000' } });
  call.on('error', () => {});
  await new Promise<void>((resolve) => call.write(head, 'latin1', () => resolve()));
  call.destroy();
  await server.ended(1);
  assert.ok(server.results[0] instanceof Error);
  assert.equal(checks, 0);
});

test('an accepted push is completed and recorded even if the client disconnects', async () => {
  const id = await commitFile('stubborn', 'x');
  let recorded: unknown;
  const child = spawn('git', ['push', '-q', 'origin', 'HEAD:refs/heads/stubborn'], {
    cwd: clone,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: work.folder },
  });
  server.hooks = {
    onPreReceive: async () => undefined,
    onPostReceive: async (push) => {
      // The client disconnects while the server records the push, which must complete anyway.
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      recorded = push.changes;
      return ['nobody reads this'];
    },
  };
  await server.ended(1);
  assert.deepEqual(recorded, [{ ref: 'refs/heads/stubborn', old: null, new: id }]);
  assert.equal(work.git('rev-parse', 'stubborn'), id);
});

test('a disconnect before the decision updates nothing', async () => {
  await commitFile('early', 'x');
  const child = spawn('git', ['push', '-q', 'origin', 'HEAD:refs/heads/early'], {
    cwd: clone,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: work.folder },
  });
  server.hooks.onPreReceive = async () => {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await server.ended(1);
    return undefined;
  };
  await server.ended(1);
  assert.ok(server.results[0] instanceof Error);
  assert.doesNotMatch(work.git('show-ref'), /heads\/early/);
});

test('hooks of the repository itself never run', async () => {
  const marker = join(work.folder, 'ran');
  // The git templates of some installations contain no hooks folder.
  mkdirSync(join(work.repo.path, 'hooks'), { recursive: true });
  writeFileSync(join(work.repo.path, 'hooks', 'pre-receive'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  await commitFile('hooked', 'x');
  await ok(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/hooked');
  assert.equal(existsSync(marker), false);
});
