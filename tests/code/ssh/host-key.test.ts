import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ssh2 from 'ssh2';
import { hostKeys } from '../../../src/code/ssh/host-key.ts';
import { readableKey } from '../../../src/platform/secrets/ssh-key-file.ts';

describe('SSH host keys', () => {
  let data: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'hearth-host-key-'));
  });
  after(() => rm(data, { recursive: true, force: true }));

  it('are generated once, readable by the owner only', async () => {
    const keys = await hostKeys(data);
    assert.deepEqual(await hostKeys(data), keys);
    for (const [at, name] of ['ssh-host-key', 'ssh-host-key-ecdsa'].entries()) {
      assert.equal((await stat(join(data, name))).mode & 0o777, 0o600);
      assert.equal(await readFile(join(data, name), 'utf8'), keys[at]);
    }
    const types = keys.map((key) => (ssh2.utils.parseKey(key) as ssh2.ParsedKey).type);
    assert.deepEqual(types, ['ssh-ed25519', 'ecdsa-sha2-nistp256']);
  });

  it('are regenerated until the library can parse them', () => {
    const good = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private;
    const made = ['-----BEGIN OPENSSH PRIVATE KEY-----\nbm8=\n-----END OPENSSH PRIVATE KEY-----\n', good];
    assert.equal(
      readableKey(() => made.shift() ?? ''),
      good,
    );
  });
});
