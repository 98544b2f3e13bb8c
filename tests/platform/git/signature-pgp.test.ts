import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp';
import { signatureOf } from '../../../src/platform/git/signature.ts';
import { parsePgpKey, pgpSignatureKeyIds, verifyPgpSignature } from '../../../src/platform/git/signature-pgp.ts';
import { WorkTree } from './work-tree.ts';

const work = new WorkTree();
const home = mkdtempSync(join(tmpdir(), 'gpg-'));
const hasGpg = spawnSync('gpg', ['--version']).status === 0;
const gpg = (...args: string[]) => {
  return execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();
};
after(() => {
  if (hasGpg) spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  rmSync(home, { recursive: true, force: true });
  work.remove();
});

const raw = (id: string, type: 'commit' | 'tag') => {
  return execFileSync('git', ['--git-dir', work.repo.path, 'cat-file', type, id]);
};

test('commits and tags signed by gpg are verified', { skip: !hasGpg }, async () => {
  for (const [algorithm, email] of [
    ['rsa2048', 'rsa@example.com'],
    ['ed25519', 'ed@example.com'],
    ['nistp256', 'p256@example.com'],
  ] as const) {
    gpg('--pinentry-mode', 'loopback', '--quick-generate-key', `Signer <${email}>`, algorithm, 'sign', '1y');
    const armored = gpg('--armor', '--export', email);
    const key = await parsePgpKey(armored);
    assert.ok(key, algorithm);
    assert.deepEqual(key.userIds, [{ name: 'Signer', email }]);
    assert.equal(key.revoked, false);
    assert.ok(key.expires && key.expires > key.created);
    const env = { GNUPGHOME: home };
    work.gitWith(
      { env },
      '-c',
      `user.signingKey=${key.fingerprint}`,
      'commit',
      '-q',
      '-S',
      '--allow-empty',
      '-m',
      `by ${algorithm} é\n\nbody  \n`,
    );
    work.gitWith({ env }, '-c', `user.signingKey=${key.fingerprint}`, 'tag', '-s', '-m', 'tagged', `v-${algorithm}`);
    for (const [type, id] of [
      ['commit', 'HEAD'],
      ['tag', `v-${algorithm}`],
    ] as const) {
      const signed = signatureOf(type, raw(id, type));
      assert.equal(signed?.type, 'PGP');
      assert.deepEqual(await pgpSignatureKeyIds(signed.signature), [key.keyId]);
      const result = await verifyPgpSignature(signed.payload, signed.signature, armored);
      assert.deepEqual(
        { ...result, created: undefined },
        {
          valid: true,
          signer: { fingerprint: key.fingerprint, keyId: key.keyId },
          bySubkey: false,
          created: undefined,
        },
        `${algorithm} ${type}`,
      );
      const forged = Buffer.concat([signed.payload, Buffer.from('x')]);
      assert.equal((await verifyPgpSignature(forged, signed.signature, armored)).valid, false);
    }
  }
});

async function signer(options: { keyExpirationTime?: number; date?: Date; subkey?: boolean } = {}) {
  const { privateKey, publicKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: 'Sub', email: 'sub@example.com' }],
    subkeys: options.subkey ? [{ sign: true }] : [],
    keyExpirationTime: options.keyExpirationTime,
    date: options.date,
  });
  const detached = async (text: string, date?: Date) => {
    const message = await createMessage({ binary: new Uint8Array(Buffer.from(text)) });
    return sign({ message, signingKeys: await readPrivateKey({ armoredKey: privateKey }), detached: true, date });
  };
  return { publicKey, privateKey, detached };
}

test('a signing subkey is named as such', async () => {
  const { publicKey, detached } = await signer({ subkey: true });
  const key = await parsePgpKey(publicKey);
  assert.equal(key?.subkeys.length, 1);
  const result = await verifyPgpSignature(Buffer.from('text'), await detached('text'), publicKey);
  assert.equal(result.valid, true);
  assert.equal(result.bySubkey, true);
  assert.equal(result.signer?.keyId, key?.subkeys[0]?.keyId);
});

test('a signature made before the key expired stays good, with another key it is not', async () => {
  const long = new Date(Date.now() - 86_400_000 * 30);
  const expired = await signer({ date: long, keyExpirationTime: 86_400 });
  const signature = await expired.detached('text', new Date(long.getTime() + 3600_000));
  assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, expired.publicKey)).valid, true);
  const other = await signer();
  const wrong = await verifyPgpSignature(Buffer.from('text'), signature, other.publicKey);
  assert.deepEqual([wrong.valid, wrong.signer], [false, undefined]);
});

test('nonsense is no key and no signature', async () => {
  const { privateKey, publicKey, detached } = await signer();
  assert.equal(await parsePgpKey('nonsense'), undefined);
  assert.equal(await parsePgpKey(privateKey), undefined, 'a private key is not taken');
  assert.equal(
    await pgpSignatureKeyIds('-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----'),
    undefined,
  );
  const good = await detached('text');
  for (const signature of ['', good.slice(0, 80), good.replace(/[A-Z]{3}/, 'xyz'), publicKey]) {
    assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, publicKey)).valid, false);
  }
});
