import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openEncryption, Undecryptable } from '../../../src/platform/secrets/encryption.ts';
import { readKeyFile } from '../../../src/platform/secrets/key-file.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-keys-'));
});
after(() => rm(directory, { recursive: true }));

const keyFile = (name: string) => join(directory, name);

describe('key file', () => {
  test('is created if missing, readable only by its owner, and read again afterwards', async () => {
    const path = keyFile('fresh');
    const [created] = await readKeyFile(path);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const [again] = await readKeyFile(path);
    assert.equal(again?.id, created?.id);
    assert.ok(created && again && created.secret.equals(again.secret));
  });

  test('is the same for processes that start concurrently', async () => {
    const path = keyFile('raced');
    const all = await Promise.all(Array.from({ length: 20 }, () => readKeyFile(path)));
    assert.equal(new Set(all.map((keys) => keys.map(({ id }) => id).join())).size, 1);
    const left = (await readdir(directory)).filter((name) => name.startsWith('raced'));
    assert.deepEqual(left, ['raced'], 'no temporary file is left');
  });

  test('is rejected if it is world-readable, contains an invalid line or is empty', async () => {
    const open = keyFile('open');
    await readKeyFile(open);
    await chmod(open, 0o644);
    await assert.rejects(readKeyFile(open), /chmod 600/);
    for (const [contents, complaint] of [
      ['# nothing\n', /no key/],
      ['short\n', /line 1/],
      [`${'A'.repeat(43)}\n${'!'.repeat(43)}\n`, /line 2/],
    ] as const) {
      const path = keyFile('broken');
      await writeFile(path, contents, { mode: 0o600 });
      await assert.rejects(readKeyFile(path), complaint);
    }
  });
});

describe('encryption', () => {
  test('decrypts what it encrypted', async () => {
    const encryption = await openEncryption(keyFile('round'));
    for (const plain of ['', 'token', 'zażółć 🔥', 'x'.repeat(100_000), '\0\n']) {
      const ciphertext = encryption.encrypt(plain, 'hooks.token');
      assert.equal(encryption.decrypt(ciphertext, 'hooks.token'), plain);
    }
  });

  test('never produces the same ciphertext twice', async () => {
    const encryption = await openEncryption(keyFile('round'));
    assert.notEqual(encryption.encrypt('same', 'a'), encryption.encrypt('same', 'a'));
  });

  test('rejects another purpose, modified ciphertexts and invalid ones', async () => {
    const encryption = await openEncryption(keyFile('round'));
    const ciphertext = encryption.encrypt('secret', 'hooks.token');
    assert.throws(() => encryption.decrypt(ciphertext, 'users.bio'), Undecryptable);
    for (let at = 0; at < ciphertext.length; at++) {
      const other = ciphertext[at] === 'A' ? 'B' : 'A';
      const changed = ciphertext.slice(0, at) + other + ciphertext.slice(at + 1);
      assert.throws(() => encryption.decrypt(changed, 'hooks.token'), Undecryptable, changed);
    }
    for (const text of ['', 'secret', 'v1..', 'v1.00000000.AAAA', ciphertext.slice(0, -10)]) {
      assert.throws(() => encryption.decrypt(text, 'hooks.token'), Undecryptable, text);
    }
  });

  test('encrypts with the first key and decrypts with any key in the file', async () => {
    const path = keyFile('rotated');
    const before = await openEncryption(path);
    const old = before.encrypt('secret', 'hooks.token');
    const key = randomBytes(32).toString('base64url');
    await writeFile(path, `${key}\n${await readFile(path, 'utf8')}`);
    const now = await openEncryption(path);
    assert.equal(now.decrypt(old, 'hooks.token'), 'secret');
    const fresh = now.encrypt('secret', 'hooks.token');
    assert.throws(() => before.decrypt(fresh, 'hooks.token'), /is not in the key file/);

    await writeFile(path, `${key}\n`);
    const withoutOld = await openEncryption(path);
    assert.equal(withoutOld.decrypt(fresh, 'hooks.token'), 'secret');
    assert.throws(() => withoutOld.decrypt(old, 'hooks.token'), /is not in the key file/);
  });
});

describe('signatures', () => {
  test('are valid only for their text and purpose, complete or truncated', async () => {
    const encryption = await openEncryption(keyFile('signing'));
    const whole = encryption.sign('7 1', 'mail');
    assert.deepEqual(encryption.sign('7 1', 'mail'), whole);
    assert.equal(encryption.isSigned('7 1', 'mail', whole), true);
    assert.equal(encryption.isSigned('7 1', 'mail', whole.subarray(0, 12)), true);
    assert.equal(encryption.isSigned('7 2', 'mail', whole), false);
    assert.equal(encryption.isSigned('7 1', 'other', whole), false);
    const changed = Buffer.from(whole.subarray(0, 12));
    changed.writeUInt8(changed.readUInt8(11) ^ 1, 11);
    for (const wrong of [changed, whole.subarray(0, 11), Buffer.alloc(0), Buffer.concat([whole, whole])]) {
      assert.equal(encryption.isSigned('7 1', 'mail', wrong), false);
    }
  });

  test('remain valid as long as their key is in the file', async () => {
    const path = keyFile('signing-rotated');
    const old = (await openEncryption(path)).sign('7', 'mail');
    const key = randomBytes(32).toString('base64url');
    await writeFile(path, `${key}\n${await readFile(path, 'utf8')}`);
    const now = await openEncryption(path);
    assert.equal(now.isSigned('7', 'mail', old), true);
    assert.notDeepEqual(now.sign('7', 'mail'), old);
    await writeFile(path, `${key}\n`);
    assert.equal((await openEncryption(path)).isSigned('7', 'mail', old), false);
  });
});
