import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { installHooks } from '../../../../../src/platform/git/transport/hooks.ts';
import { PackCache } from '../../../../../src/platform/git/transport/packs/cache.ts';
import { fetchLines } from '../../../../../src/platform/git/transport/packs/fetch-request.ts';
import { PackHookReader } from '../../../../../src/platform/git/transport/packs/hook.ts';
import { pktLine } from '../../../../../src/platform/git/transport/pkt-line.ts';
import { uploadPack } from '../../../../../src/platform/git/transport/transport.ts';
import { until } from '../../../../support/until.ts';
import { GitServer } from '../../git-server.ts';
import { WorkTree } from '../../work-tree.ts';

const work = new WorkTree();
// The hook path is interpreted by a shell.
const folder = join(work.folder, "it's a folder");
const packs = join(folder, 'packs');
const megabyte = 1024 * 1024;
let server: GitServer;
let url = '';
let hooksPath = '';
let tip = '';

const execute = promisify(execFile);
const env = { PATH: process.env.PATH, HOME: work.folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };

async function git(...args: string[]): Promise<string> {
  const { stdout, stderr } = await execute('git', args, { cwd: work.folder, env, maxBuffer: 1 << 26 });
  return (stdout + stderr).trim();
}

let clones = 0;
async function clone(...args: string[]): Promise<string> {
  const target = join(work.folder, `clone-${++clones}`);
  const options = args.includes('--progress') ? args : ['-q', ...args];
  const output = await git('clone', '--bare', ...options, url, target);
  assert.equal(await git('-C', target, 'rev-parse', 'HEAD'), tip);
  // Complete and valid, unless it is a partial clone.
  if (!args.some((arg) => arg.startsWith('--filter'))) await git('-C', target, 'fsck', '--strict', '--no-dangling');
  rmSync(target, { recursive: true });
  return output;
}

const cacheOf = (budget: number, keepMs?: number) =>
  new PackCache({ folder: packs, budget, ...(keepMs === undefined ? {} : { keepMs }) });

before(async () => {
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < 8; i++) work.commit({ [`f${i}`]: randomBytes(megabyte / 2), text: `${i}\n` });
  work.git('tag', '-a', '-m', 'one', 'v1');
  work.git('update-ref', 'refs/keep-around/x', 'HEAD~1');
  work.git('repack', '-adq');
  tip = work.git('rev-parse', 'HEAD');
  hooksPath = await installHooks(folder);
  server = new GitServer(work.repo, hooksPath);
  url = await server.listen();
});
beforeEach(() => {
  server.results.length = 0;
  server.packs = cacheOf(100 * megabyte);
});
after(() => {
  server.close();
  work.remove();
});

test('the same clone is packed once for concurrent and later clients', async () => {
  const cache = cacheOf(100 * megabyte);
  server.packs = cache;
  await Promise.all(Array.from({ length: 8 }, () => clone()));
  assert.equal(cache.counters.misses, 1);
  assert.equal(cache.counters.hits, 7);
  await clone();
  assert.equal(cache.counters.hits, 8);
  assert.ok(cache.counters.bytes > 4 * megabyte && cache.counters.bytes < 5 * megabyte);
  assert.deepEqual(readdirSync(packs), [], 'the files have no names that a crash could leave behind');
});

test('different requests are packed separately: depth, filter, protocol, haves', async () => {
  const cache = cacheOf(100 * megabyte);
  server.packs = cache;
  const forms = [['--depth=1'], ['--depth=3'], ['--filter=blob:none'], ['--no-tags', '--single-branch'], []];
  for (const form of forms) await clone(...form);
  assert.equal(cache.counters.hits, 0);
  assert.equal(cache.counters.misses, forms.length);
  for (const form of forms) await clone(...form);
  assert.equal(cache.counters.hits, forms.length);
  for (const version of ['0', '1', '2']) await clone('-c', `protocol.version=${version}`);
  const behind = join(work.folder, 'behind');
  await git('clone', '-q', '--bare', url, behind);
  const next = work.commit({ more: randomBytes(1000) });
  tip = next;
  await git('-C', behind, 'fetch', '-q', 'origin', 'main:main');
  assert.equal(await git('-C', behind, 'rev-parse', 'main'), next);
  await git('-C', behind, 'fsck', '--strict');
  await clone();
});

test('progress is shown to the first client and to later ones', async () => {
  for (let i = 0; i < 2; i++) assert.match(await clone('--progress'), /remote: Counting objects: .*done/);
});

test('when the first client disconnects, the others get the rest', async () => {
  const cache = cacheOf(100 * megabyte);
  const source = { cache, hooksPath };
  const body = () => fetchRequest(tip);
  const stalled = new PassThrough({ highWaterMark: 1024 });
  const first = uploadPack(
    work.repo,
    { input: body(), output: stalled, stateless: true, protocol: 'version=2' },
    source,
  );
  await until(() => stalled.readableLength > 0);
  const second = collect();
  const rest = uploadPack(
    work.repo,
    { input: body(), output: second.output, stateless: true, protocol: 'version=2' },
    source,
  );
  await until(() => cache.counters.hits === 1);
  stalled.destroy();
  await assert.rejects(first);
  assert.equal((await rest).ok, true);
  assert.ok(second.size() > 4 * megabyte);
  assert.equal(cache.counters.misses, 1);
});

test('a request for a missing object is rejected by git and not cached', async () => {
  const cache = cacheOf(100 * megabyte);
  const out = collect();
  const input = fetchRequest('1'.repeat(40));
  const result = await uploadPack(
    work.repo,
    { input, output: out.output, stateless: true, protocol: 'version=2' },
    { cache, hooksPath },
  );
  assert.equal(result.ok, false);
  assert.deepEqual(cache.counters, { hits: 0, misses: 1, bytes: 0 });
});

test('the budget evicts the least recently used packs, and packs that do not fit are not cached', async () => {
  const cache = cacheOf(6 * megabyte);
  server.packs = cache;
  await clone();
  await clone('--no-tags');
  assert.ok(cache.counters.bytes <= 6 * megabyte);
  await clone();
  assert.equal(cache.counters.misses, 3, 'the first pack was evicted for the second');
  const tight = cacheOf(megabyte);
  server.packs = tight;
  await clone();
  assert.deepEqual(tight.counters, { hits: 0, misses: 0, bytes: 0 }, 'larger than the budget');
});

test('packs in use are not evicted; requests that do not fit are served uncached', async () => {
  const cache = cacheOf(5 * megabyte);
  const stalled = new PassThrough({ highWaterMark: 1024 });
  const session = { output: stalled, stateless: true, protocol: 'version=2' };
  const first = uploadPack(work.repo, { ...session, input: fetchRequest(tip) }, { cache, hooksPath });
  await until(() => stalled.readableLength > 0);
  server.packs = cache;
  await Promise.all([clone('--no-tags'), clone('--depth=2')]);
  assert.ok(cache.counters.bytes <= 5 * megabyte);
  stalled.destroy();
  await assert.rejects(first);
  await until(() => cache.counters.bytes <= 5 * megabyte);
});

test('an unused pack expires', async () => {
  const cache = cacheOf(100 * megabyte, 20);
  server.packs = cache;
  await clone();
  await until(() => cache.counters.bytes === 0);
  await clone();
  assert.equal(cache.counters.misses, 2);
});

test('failed packing ends the session and is retried by the next request', async () => {
  const cache = cacheOf(100 * megabyte);
  const pack = join(work.repo.path, 'objects', 'pack');
  const name = readdirSync(pack).find((file) => file.endsWith('.pack')) ?? '';
  const damaged = join(work.folder, 'broken.git');
  await execute('cp', ['-r', work.repo.path, damaged]);
  // The pack is damaged in the middle, which shows only when its objects are read.
  const path = join(damaged, 'objects', 'pack', name);
  rmSync(path, { force: true });
  writeFileSync(path, Buffer.concat([Buffer.from('PACK'), randomBytes(megabyte)]));
  for (let i = 0; i < 2; i++) {
    const result = uploadPack(
      { path: damaged },
      { input: fetchRequest(tip), output: collect().output, stateless: true, protocol: 'version=2' },
      { cache, hooksPath },
    );
    await result.then(
      ({ ok }) => assert.equal(ok, false),
      () => {},
    );
  }
  assert.equal(cache.counters.hits, 0);
  await until(() => cache.counters.bytes === 0);
});

test('a second fetch in the same session is packed by git itself', async () => {
  const cache = cacheOf(100 * megabyte);
  const input = new PassThrough();
  const out = collect();
  const result = uploadPack(
    work.repo,
    { input, output: out.output, stateless: false, protocol: 'version=2' },
    { cache, hooksPath },
  );
  input.write(fetchBytes(tip));
  await until(() => out.size() > 4 * megabyte);
  input.write(fetchBytes(tip));
  await until(() => out.size() > 8 * megabyte);
  input.end();
  assert.equal((await result).ok, true);
  assert.equal(cache.counters.misses, 1);
  // The pack of the first fetch serves other sessions.
  const more = Array.from({ length: 4 }, async () => {
    const other = collect();
    const session = { input: fetchRequest(tip), output: other.output, stateless: false, protocol: 'version=2' };
    assert.equal((await uploadPack(work.repo, session, { cache, hooksPath })).ok, true);
    assert.ok(other.size() > 4 * megabyte);
  });
  await Promise.all(more);
  assert.deepEqual([cache.counters.misses, cache.counters.hits], [1, 4]);
});

test('only requests without refs and negotiation are cached; all others are left to git', () => {
  const id = 'a'.repeat(40);
  const request = (head: readonly string[], args: readonly string[]) =>
    fetchLines(
      Buffer.from(
        `${['command=fetch', ...head].map(pktLine).join('')}0001${args.map((arg) => pktLine(`${arg}\n`)).join('')}0000`,
      ),
    );
  const plain = [`want ${id}`, 'ofs-delta', 'done'];
  assert.deepEqual(request(['agent=git/2.39.5', 'object-format=sha1'], plain), ['object-format=sha1', ...plain]);
  assert.deepEqual(request(['agent=git/2.50.0', 'object-format=sha1'], plain), ['object-format=sha1', ...plain]);
  for (const more of [
    ['deepen 1'],
    ['filter blob:none'],
    [`have ${id}`, `shallow ${id}`],
    ['thin-pack', 'no-progress'],
  ])
    assert.deepEqual(request([], [...more, ...plain]), [...more, ...plain]);
  assert.equal(request([], [`want ${id}`]), undefined, 'negotiation');
  for (const odd of [
    'want-ref refs/heads/main',
    'deepen-not main',
    'deepen-since 5',
    'sideband-all',
    'wait-for-done',
    'x',
  ])
    assert.equal(request([], [odd, ...plain]), undefined, odd);
  assert.equal(request(['server-option=x'], plain), undefined);
  for (const broken of ['', '0000', 'zzzz', '0003', 'fffff', `${pktLine('command=ls-refs')}0000`])
    assert.equal(fetchLines(Buffer.from(broken)), undefined, broken);
});

test('a request too long to be cached reaches git completely', async () => {
  const cache = cacheOf(100 * megabyte);
  const haves = Array.from({ length: 8000 }, (_, i) => pktLine(`have ${i.toString(16).padStart(40, '0')}\n`)).join('');
  const input = new PassThrough();
  input.end(`${pktLine('command=fetch')}0001${pktLine(`want ${tip}\n`)}${haves}${pktLine('done\n')}0000`);
  const out = collect();
  const session = { input, output: out.output, stateless: true, protocol: 'version=2' };
  assert.equal((await uploadPack(work.repo, session, { cache, hooksPath })).ok, true);
  assert.ok(out.size() > 4 * megabyte);
});

test('a repository cannot configure its own hook', async () => {
  const mark = join(work.folder, 'ran');
  work.git('--git-dir', work.repo.path, 'config', 'uploadpack.packObjectsHook', `touch ${mark};`);
  await clone();
  server.packs = undefined;
  await clone();
  work.git('--git-dir', work.repo.path, 'config', '--unset', 'uploadpack.packObjectsHook');
  assert.equal(existsSync(mark), false);
});

test('clients that disconnect midway leave nothing running', async () => {
  const cache = cacheOf(100 * megabyte);
  server.packs = cache;
  const body = fetchBytes(tip);
  await Promise.all(
    Array.from(
      { length: 5 },
      () =>
        new Promise<void>((resolve, reject) => {
          const call = request(`${url}/git-upload-pack`, {
            method: 'POST',
            headers: { 'git-protocol': 'version=2' },
          });
          call.on('response', (response) => {
            response.once('data', () => {
              response.destroy();
              resolve();
            });
          });
          call.on('error', reject);
          call.end(body);
        }),
    ),
  );
  await server.ended(5);
  await clone();
  assert.equal(cache.counters.bytes <= 5 * megabyte, true);
});

test('the hook protocol is parsed however it is split, and unknown flags are left to git', () => {
  const words = ['git', '--shallow-file', '', 'pack-objects', '--revs', '--stdout', '--filter=blob:none'];
  const command = Buffer.from([String(words.length), ...words].map((word) => `${word}\0`).join(''));
  const revisions = Buffer.from(`${'a'.repeat(40)}\n--not\n\n\0`);
  for (const size of [1, 7, 1000]) {
    const reader = new PackHookReader(1000);
    const answers = [];
    for (const bytes of [command, revisions]) {
      for (let at = 0; at < bytes.length; at += size) answers.push(reader.push(bytes.subarray(at, at + size)));
    }
    assert.deepEqual(
      answers.filter((answer) => answer !== 'more'),
      [
        'command',
        {
          command: { name: 'pack-objects', flags: ['--revs', '--stdout', '--filter=blob:none'] },
          shallow: true,
          revisions: revisions.subarray(0, -1),
        },
      ],
    );
  }
  for (const flag of ['--uri-protocol=https', 'x\0']) {
    assert.equal(new PackHookReader(9).push(Buffer.from(`3\0git\0pack-objects\0${flag}\0`)), 'unknown');
  }
  const reader = new PackHookReader(10);
  reader.push(command);
  assert.throws(() => reader.push(Buffer.alloc(command.length + 11, 'a')), /too large/);
});

/** Returns the protocol 2 request for a full clone. */
function fetchBytes(want: string): Buffer {
  const lines = [pktLine('ofs-delta'), pktLine(`want ${want}\n`), pktLine('done\n')];
  return Buffer.from(`${pktLine('command=fetch')}0001${lines.join('')}0000`);
}

function fetchRequest(want: string): PassThrough {
  const input = new PassThrough();
  input.end(fetchBytes(want));
  return input;
}

function collect(): { output: PassThrough; size: () => number } {
  const output = new PassThrough();
  let size = 0;
  output.on('data', (chunk: Buffer) => {
    size += chunk.length;
  });
  return { output, size: () => size };
}
