import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Durability } from '../../../src/platform/database/durability.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-test-'));
  await (await open(join(directory, 'db-wal'), 'w')).close();
});
after(() => rm(directory, { recursive: true }));

test('callers during a running sync share the next one', async () => {
  const durability = await Durability.of(join(directory, 'db'));
  const early = durability.settled();
  assert.equal(durability.settled(), early);
  await Promise.resolve();
  const late = durability.settled();
  assert.notEqual(late, early);
  assert.equal(durability.settled(), late);
  await Promise.all([early, late]);
  await durability.close();
  durability.assertSound();
});

test('a failed sync rejects all further commits', async () => {
  const durability = await Durability.of(join(directory, 'db'));
  await durability.close();
  await assert.rejects(durability.settled(), { code: 'EBADF' });
  assert.throws(() => durability.assertSound(), /could not be synced/);
});
