import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkClock, type Witness } from '../../bin/doctor/clock.ts';
import { checkDataDirectory, checkOwnership, judgeDisk, newestTrace } from '../../bin/doctor/data-directory.ts';
import { checkEnvironment } from '../../bin/doctor/environment.ts';
import type { Finding } from '../../bin/doctor/finding.ts';
import { checkGit, checkNode } from '../../bin/doctor/machine.ts';

const mebibyte = 1024 ** 2;
const now = new Date('2026-03-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const witness = (kind: Witness['kind'], seconds: number): Witness => ({ name: 'it', at: later(seconds), kind });

const judgements: [name: string, finding: Finding, status: Finding['status'], detail: RegExp][] = [
  ['Node 24', checkNode('24.1.0'), 'ok', /24\.1\.0/],
  ['Node 22', checkNode('22.20.0'), 'failed', /needs 24/],
  ['plenty of disk space', judgeDisk(50 * 1024 * mebibyte, 1e6), 'ok', /50GiB free/],
  ['little disk space', judgeDisk(900 * mebibyte, 1e6), 'warning', /only 900MiB free/],
  ['almost no disk space', judgeDisk(99 * mebibyte + 17, 1e6), 'failed', /only 99MiB free/],
  ['few free inodes', judgeDisk(50 * 1024 * mebibyte, 999), 'failed', /999 more files/],
  ['own directory', checkOwnership('/d', { uid: 7, mode: 0o40700 }, 7), 'ok', /mode 700/],
  ['another owner', checkOwnership('/d', { uid: 8, mode: 0o40700 }, 7), 'warning', /belongs to user 8/],
  ['a directory open to others', checkOwnership('/d', { uid: 7, mode: 0o40755 }, 7), 'warning', /mode 755/],
  ['no reference time', checkClock(now, []), 'ok', /2026-03-01/],
  ['an old file', checkClock(now, [witness('trace', -1e6)]), 'ok', /2026/],
  ['a file from the future', checkClock(now, [witness('trace', 3600)]), 'failed', /3600 s before it/],
  ['a clock that agrees', checkClock(now, [witness('clock', -3)]), 'ok', /2026/],
  ['a clock that is behind', checkClock(now, [witness('clock', -60)]), 'warning', /60 s apart from it/],
  ['known variables', checkEnvironment({ HEARTH_PORT: '1', PATH: '/' }), 'ok', /no misspelt/],
  ['a misspelt variable', checkEnvironment({ HEARTH_PROT: '1' }), 'warning', /HEARTH_PROT \(HEARTH_PORT\?\)/],
  ['an unrelated HEARTH_ variable', checkEnvironment({ HEARTH_SERVICE_LINK_OF_KUBERNETES: '1' }), 'ok', /no misspelt/],
];

for (const [name, finding, status, detail] of judgements) {
  test(`${name}: ${status}`, () => {
    assert.equal(finding.status, status);
    assert.match(finding.detail, detail);
    assert.equal(finding.advice === undefined, status === 'ok');
  });
}

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'doctor-test-'));
});
after(() => rm(root, { recursive: true }));

test('checkGit accepts the git of this machine', async () => {
  assert.equal((await checkGit()).status, 'ok');
});

test('checkDataDirectory accepts a missing directory that can be created', async () => {
  assert.match((await checkDataDirectory(join(root, 'new', 'er'))).detail, /will be created/);
});

test('checkDataDirectory accepts a private directory and warns about an open one', async () => {
  const path = join(root, 'closed');
  await mkdir(path, { mode: 0o700 });
  assert.equal((await checkDataDirectory(path)).status, 'ok');
  await chmod(path, 0o755);
  assert.equal((await checkDataDirectory(path)).status, 'warning');
});

test('checkDataDirectory fails for a file in place of the directory', async () => {
  const path = join(root, 'file');
  await writeFile(path, '');
  assert.match((await checkDataDirectory(path)).detail, /not a directory/);
  assert.equal((await checkDataDirectory(join(path, 'below'))).status, 'failed');
});

test('newestTrace returns the date of the newest file in the data directory', async () => {
  const path = join(root, 'dated');
  assert.deepEqual(await newestTrace(path), []);
  await mkdir(path);
  for (const [name, at] of [
    ['old', later(-60)],
    ['new', later(60)],
  ] as const) {
    await writeFile(join(path, name), '');
    await utimes(join(path, name), at, at);
  }
  assert.deepEqual(
    (await newestTrace(path)).map(({ at }) => at),
    [later(60)],
  );
});
