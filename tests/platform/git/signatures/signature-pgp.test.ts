import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { armor, createMessage, enums, generateKey, readKey, readPrivateKey, readSignature, sign } from 'openpgp';
import { parsePgpKey, pgpSignatureKeyIds, verifyPgpSignature } from '../../../../src/platform/git/signatures/pgp.ts';
import { signatureOf } from '../../../../src/platform/git/signatures/signature.ts';
import { WorkTree } from '../work-tree.ts';

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

test('a signature by a subkey reports the subkey', async () => {
  const { publicKey, detached } = await signer({ subkey: true });
  const key = await parsePgpKey(publicKey);
  assert.equal(key?.subkeys.length, 1);
  const result = await verifyPgpSignature(Buffer.from('text'), await detached('text'), publicKey);
  assert.equal(result.valid, true);
  assert.equal(result.bySubkey, true);
  assert.equal(result.signer?.keyId, key?.subkeys[0]?.keyId);
});

test('a signature made before the key expired stays valid, but not with another key', async () => {
  const long = new Date(Date.now() - 86_400_000 * 30);
  const expired = await signer({ date: long, keyExpirationTime: 86_400 });
  const signature = await expired.detached('text', new Date(long.getTime() + 3600_000));
  assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, expired.publicKey)).valid, true);
  const other = await signer();
  const wrong = await verifyPgpSignature(Buffer.from('text'), signature, other.publicKey);
  assert.deepEqual([wrong.valid, wrong.signer], [false, undefined]);
});

test('malformed keys and signatures are rejected', async () => {
  const { privateKey, publicKey, detached } = await signer();
  assert.equal(await parsePgpKey('nonsense'), undefined);
  assert.equal(await parsePgpKey(privateKey), undefined, 'private keys are rejected');
  assert.equal(
    await pgpSignatureKeyIds('-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----'),
    undefined,
  );
  const good = await detached('text');
  for (const signature of ['', good.slice(0, 80), good.replace(/[A-Z]{3}/, 'xyz'), publicKey]) {
    assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, publicKey)).valid, false);
  }
});

test('keys are valid as long as stated in what gpg exports of them', { skip: !hasGpg }, async () => {
  const at = (time: string) => ['--faked-system-time', `${time}T120000!`, '--pinentry-mode', 'loopback'];
  gpg(...at('20240101'), '--quick-generate-key', 'Renewed <renewed@example.com>', 'ed25519', 'sign', '10d');
  const short = gpg('--armor', '--export', 'renewed@example.com');
  const key = await parsePgpKey(short);
  assert.ok(key);
  const signAt = (time: string) => {
    const path = join(home, `data-${time}`);
    writeFileSync(path, 'text');
    return gpg(...at(time), '--local-user', key.fingerprint, '--armor', '--detach-sign', '--output', '-', path);
  };
  const early = signAt('20240105');
  gpg(...at('20240201'), '--quick-set-expire', key.fingerprint, '0');
  const late = signAt('20240202');
  // The minimal export contains only the latest self-signature.
  const renewed = gpg('--armor', '--export-options', 'export-minimal', '--export', 'renewed@example.com');
  const valid = async (signature: string, armored: string) =>
    (await verifyPgpSignature(Buffer.from('text'), signature, armored)).valid;
  assert.deepEqual(
    [await valid(early, short), await valid(late, short), await valid(early, renewed), await valid(late, renewed)],
    [true, false, true, true],
  );
});

test('signatures of a revoked subkey are invalid', { skip: !hasGpg }, async () => {
  const loopback = ['--pinentry-mode', 'loopback'];
  gpg(...loopback, '--quick-generate-key', 'Sub <revoked-sub@example.com>', 'ed25519', 'sign', '0');
  const { fingerprint } = (await parsePgpKey(gpg('--armor', '--export', 'revoked-sub@example.com'))) ?? {};
  assert.ok(fingerprint);
  gpg(...loopback, '--quick-add-key', fingerprint, 'ed25519', 'sign', '0');
  const path = join(home, 'data');
  writeFileSync(path, 'text');
  const signature = gpg(...loopback, '--local-user', fingerprint, '--armor', '--detach-sign', '--output', '-', path);
  const before = gpg('--armor', '--export', fingerprint);
  const good = await verifyPgpSignature(Buffer.from('text'), signature, before);
  assert.deepEqual([good.valid, good.bySubkey], [true, true]);
  execFileSync('gpg', ['--homedir', home, '--command-fd', '0', '--no-tty', ...loopback, '--edit-key', fingerprint], {
    input: 'key 1\nrevkey\ny\n1\n\ny\nsave\n',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const after = gpg('--armor', '--export', fingerprint);
  assert.notEqual(after, before);
  assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, after)).valid, false);
  assert.equal((await parsePgpKey(after))?.revoked, false);
});

test('corrupted keys and signatures are invalid and cause no exception', async () => {
  const { publicKey, detached } = await signer({ subkey: true });
  const key = Buffer.from((await readKey({ armoredKey: publicKey })).write());
  const signature = Buffer.from((await readSignature({ armoredSignature: await detached('text') })).write());
  const flipped = (bytes: Buffer, at: number) => {
    const copy = Uint8Array.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0xff;
    return copy;
  };
  const armored = (bytes: Uint8Array) => armor(enums.armor.signature, bytes);
  for (let at = 0; at < signature.length; at += 2) {
    const text = armored(flipped(signature, at));
    await pgpSignatureKeyIds(text);
    await verifyPgpSignature(Buffer.from('text'), text, publicKey);
  }
  const good = armored(signature);
  for (let at = 0; at < key.length; at += 7) {
    const text = armor(enums.armor.publicKey, flipped(key, at));
    await parsePgpKey(text);
    await verifyPgpSignature(Buffer.from('text'), good, text);
  }
  const bare = await readKey({ armoredKey: publicKey });
  for (const user of bare.users) user.selfCertifications = [];
  assert.equal((await verifyPgpSignature(Buffer.from('text'), good, bare.armor())).valid, false);
  assert.equal((await parsePgpKey(bare.armor()))?.revoked, false);
});

test('only a few of very many user ids are checked', async () => {
  const userIDs = Array.from({ length: 300 }, (_, index) => ({ name: 'Many', email: `many-${index}@example.com` }));
  const { publicKey, privateKey } = await generateKey({ type: 'ecc', curve: 'ed25519Legacy', userIDs });
  const message = await createMessage({ binary: new Uint8Array(Buffer.from('text')) });
  const signingKeys = await readPrivateKey({ armoredKey: privateKey });
  const signature = await sign({ message, signingKeys, detached: true });
  assert.equal((await verifyPgpSignature(Buffer.from('text'), signature, publicKey)).valid, true);
  assert.equal((await parsePgpKey(publicKey))?.userIds.length, 300);
});
