import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Hearth, hearth, newDirectory } from './hearth.ts';

/** Expects a start to fail with a message and no stack trace. */
async function refused(data: string, reason: RegExp, env: Record<string, string> = {}, ...flags: string[]) {
  const { code, stderr } = await hearth(['serve', '--port', '0', '--data', data, ...flags], env);
  assert.equal(code, 1, stderr);
  assert.match(stderr, reason);
  assert.doesNotMatch(stderr, /^\s+at /m);
}

test('a start without git fails with the advice to install it', async () => {
  const data = join(await newDirectory(), 'data');
  const path = { PATH: '/nonexistent' };
  await refused(data, /^git could not be found: install git 2\.38 or newer/m, path);
  await refused(data, /^git could not be found: install git 2\.38 or newer/m, path, '--workers', '2');
});

test('a start with an outdated or broken git fails with its name', async () => {
  const bin = await newDirectory();
  const data = join(await newDirectory(), 'data');
  await writeFile(join(bin, 'git'), '#!/bin/sh\necho git version 2.17.1\n', { mode: 0o755 });
  await refused(data, /^git 2\.17\.1 is too old: install/m, { PATH: `${bin}:/bin:/usr/bin` });
  await writeFile(join(bin, 'git'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
  await refused(data, /^git does not run: install/m, { PATH: `${bin}:/bin:/usr/bin` });
});

test('a start fails when the data directory is a file or below one', async () => {
  const file = join(await newDirectory(), 'data');
  await writeFile(file, '');
  for (const path of [file, join(file, 'below')]) {
    await refused(path, /^there is a file where the data directory should be: move .* away/m);
  }
});

test('a start fails when the data directory is in a place where none can be created', async () => {
  for (const path of ['/proc/hearth', '/proc/hearth/below']) {
    await refused(path, /^the data directory cannot be written to \(ENOENT\): give .* or name another with --data$/m);
  }
});

test('a start with a damaged database fails with advice', async () => {
  const data = join(await newDirectory(), 'data');
  await mkdir(data);
  const first = new Hearth(['serve', '--port', '0', '--data', data]);
  await first.address();
  first.kill('SIGTERM');
  await first.ended;
  assert.ok((await readdir(data)).includes('hearth.db'));
  const file = await open(join(data, 'hearth.db'), 'r+');
  await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, 0);
  await file.close();
  const reason = /^The database is damaged \(.*\): restore the last backup; hearth doctor says more$/m;
  await refused(data, reason);
  await refused(data, reason, {}, '--workers', '2');
});

// A separate disk, unmounted with the process that sees it; not every machine permits user namespaces.
const ownDisk = ['unshare', '--user', '--map-root-user', '--mount'];
const skip = spawnSync(ownDisk[0] ?? '', [...ownDisk.slice(1), 'true']).status !== 0 && 'needs user namespaces';

async function refusedOn(options: string, prepare: string, reason: RegExp) {
  const data = await newDirectory();
  const script = `mount -t tmpfs -o ${options} none "$0" && ${prepare} && exec "$@"`;
  for (const workers of ['1', '2']) {
    const argv = ['serve', '--port', '0', '--data', data, '--workers', workers];
    const { code, stderr } = await new Hearth(argv, {}, [...ownDisk, 'sh', '-c', script, data]).ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /^\s+at /m);
  }
}

test('a start on a full disk fails with the reason', { skip }, async () => {
  const fill = 'sh -c \'cat /dev/zero > "$0/filler" 2>/dev/null; true\' "$0"';
  const reason = /^the disk is full: make room, or move the data directory to a larger disk$|^The disk is full \(/im;
  await refusedOn('size=256k', fill, reason);
  // Enough to start, but not for all tables.
  await refusedOn('size=256k', 'true', reason);
});

test('a start on a read-only disk fails with the reason', { skip }, async () => {
  await refusedOn('ro', 'true', /^the data directory cannot be written to \(EROFS\): .* or name another with --data$/m);
});
