import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../../bin/doctor/finding.ts';
import { hearth, newDirectory } from './hearth.ts';

async function doctor(
  data: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; of(check: string): Finding }> {
  const { code, stdout, stderr } = await hearth(['doctor', '--json', '--data', data], env);
  assert.equal(stderr, '');
  const findings: Finding[] = JSON.parse(stdout);
  const of = (check: string) => findings.find((finding) => finding.check === check) as Finding;
  return { code, of };
}

test('doctor passes on a complete machine, before and after the first start', async () => {
  const data = join(await newDirectory(), 'data');
  const before = await doctor(data);
  assert.equal(before.code, 0);
  assert.match(before.of('data').detail, /will be created/);
  assert.equal((await hearth(['migrate', '--data', data])).code, 0);
  const after = await doctor(data);
  assert.equal(after.code, 0);
  for (const check of ['node', 'git', 'settings', 'data', 'database', 'clock'])
    assert.equal(after.of(check).status, 'ok', check);
  assert.match(after.of('database').detail, /^sqlite, up to date/);
});

test('doctor changes nothing', async () => {
  const parent = await newDirectory();
  await doctor(join(parent, 'data'));
  assert.deepEqual(await readdir(parent), []);
});

test('each failure comes with advice and sets the exit code', async () => {
  const data = await newDirectory();
  await writeFile(join(data, 'hearth.db'), 'this is no database, however long one looks at it');
  const broken = await doctor(data, { PATH: '/nonexistent' });
  assert.equal(broken.code, 1);
  assert.match(broken.of('git').advice ?? '', /Install git 2\.38/);
  assert.match(broken.of('database').detail, /not a database/);
  assert.match(broken.of('database').advice ?? '', /restore the last backup/);
});

test('an unreachable PostgreSQL is a failure, and its password is not printed', async () => {
  const { code, stdout } = await hearth(['doctor', '--data', await newDirectory()], {
    DATABASE_URL: 'postgres://hearth:hunter2@127.0.0.1:1/hearth',
  });
  assert.equal(code, 1);
  assert.match(stdout, /FAILED {3}database/);
  assert.match(stdout, /Check DATABASE_URL/);
  assert.doesNotMatch(stdout, /hunter2/);
});
