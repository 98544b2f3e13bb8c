import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hostKey, newHostKey } from '../../../src/areas/ssh/host-key.ts';

describe('the key of the SSH server', () => {
  let data: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'hearth-host-key-'));
  });
  after(() => rm(data, { recursive: true, force: true }));

  it('is made once, for its owner alone', async () => {
    const key = await hostKey(data);
    assert.equal(await hostKey(data), key);
    assert.equal((await stat(join(data, 'ssh-host-key'))).mode & 0o777, 0o600);
    assert.equal(await readFile(join(data, 'ssh-host-key'), 'utf8'), key);
  });

  it('is never one that the library cannot read again', () => {
    const good = newHostKey();
    const made = ['-----BEGIN OPENSSH PRIVATE KEY-----\nbm8=\n-----END OPENSSH PRIVATE KEY-----\n', good];
    assert.equal(
      newHostKey(() => made.shift() ?? ''),
      good,
    );
  });
});
