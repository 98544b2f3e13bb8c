import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { signatureOf, signatureType } from '../../../../src/platform/git/signatures/signature.ts';
import { verifySshSignature } from '../../../../src/platform/git/signatures/ssh.ts';
import { sshString } from '../../../../src/platform/git/signatures/ssh-wire.ts';
import { missing } from '../../../support/tools.ts';
import { WorkTree } from '../work-tree.ts';

const skip = missing('ssh-keygen');

const work = new WorkTree();
after(() => work.remove());

const raw = (id: string, type: 'commit' | 'tag') => {
  return execFileSync('git', ['--git-dir', work.repo.path, 'cat-file', type, id]);
};

function key(name: string, ...args: string[]): string {
  const path = join(work.folder, name);
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', '', '-f', path, ...args]);
  return path;
}

test('commits and tags signed by ssh-keygen are verified', { skip }, () => {
  const kinds: [string, string[]][] = [
    ['ed25519', ['-t', 'ed25519']],
    ['rsa', ['-t', 'rsa', '-b', '2048']],
    ['p256', ['-t', 'ecdsa', '-b', '256']],
    ['p384', ['-t', 'ecdsa', '-b', '384']],
    ['p521', ['-t', 'ecdsa', '-b', '521']],
  ];
  for (const [name, args] of kinds) {
    const path = key(name, ...args);
    const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${path}`];
    work.git(...config, 'commit', '-q', '-S', '--allow-empty', '-m', `signed é by ${name}\n\nbody`);
    work.git(...config, 'tag', '-s', '-m', 'a tag', `v-${name}`);
    for (const [type, id] of [
      ['commit', 'HEAD'],
      ['tag', `v-${name}`],
    ] as const) {
      const signed = signatureOf(type, raw(id, type));
      assert.equal(signed?.type, 'SSH', name);
      const result = verifySshSignature(signed.payload, signed.signature);
      assert.equal(result.valid, true, `${name} ${type}`);
      const [kind, blob] = readFileSync(`${path}.pub`, 'utf8').trim().split(' ');
      assert.equal(result.key?.text, `${kind} ${blob}`);
      assert.equal(
        execFileSync('ssh-keygen', ['-lf', `${path}.pub`])
          .toString()
          .split(' ')[1],
        result.key?.fingerprint,
      );
      const forged = Buffer.concat([signed.payload, Buffer.from('x')]);
      assert.equal(verifySshSignature(forged, signed.signature).valid, false, `${name} ${type} forged`);
    }
  }
});

test('a signature with another namespace is not valid for git', { skip }, () => {
  const path = key('other', '-t', 'ed25519');
  const signature = execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', 'file', '-f', path], {
    input: 'x',
  }).toString();
  assert.equal(verifySshSignature(Buffer.from('x'), signature).valid, false);
});

test('signatures of security keys cover flags and a counter', () => {
  const pair = generateKeyPairSync('ed25519');
  const point = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const type = 'sk-ssh-ed25519@openssh.com';
  const blob = Buffer.concat([sshString(type), sshString(point), sshString('ssh:')]);
  const message = Buffer.from('payload');
  const sha = (algorithm: string, data: Buffer | string) => createHash(algorithm).update(data).digest();
  const body = Buffer.concat([
    Buffer.from('SSHSIG'),
    sshString('git'),
    sshString(''),
    sshString('sha512'),
    sshString(sha('sha512', message)),
  ]);
  const token = Buffer.from([1, 0, 0, 0, 9]);
  const value = sign(null, Buffer.concat([sha('sha256', 'ssh:'), token, sha('sha256', body)]), pair.privateKey);
  const armor = (flags: Buffer) => {
    const inner = Buffer.concat([sshString(type), sshString(value), flags]);
    const fields = [sshString(blob), sshString('git'), sshString(''), sshString('sha512'), sshString(inner)];
    const bytes = Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01', 'latin1'), ...fields]);
    return `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
  };
  assert.equal(verifySshSignature(message, armor(token)).valid, true);
  assert.equal(verifySshSignature(message, armor(Buffer.from([0, 0, 0, 0, 9]))).valid, false);
  assert.deepEqual(verifySshSignature(message, armor(Buffer.alloc(0))), { valid: false, key: undefined });
});

test('malformed signatures are invalid and cause no exception', { skip }, () => {
  const path = key('broken', '-t', 'rsa', '-b', '2048');
  const good = execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', 'git', '-f', path], { input: 'x' }).toString();
  assert.equal(verifySshSignature(Buffer.from('x'), good).valid, true);
  const body = Buffer.from(good.split('\n').slice(1, -2).join(''), 'base64');
  for (let at = 0; at < body.length; at += 7) {
    for (const change of [0xff, 0x01]) {
      const bytes = Buffer.from(body);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const armored = `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64')}\n-----END SSH SIGNATURE-----`;
      assert.equal(verifySshSignature(Buffer.from('x'), armored).valid, false, `byte ${at}`);
    }
    const cut = `-----BEGIN SSH SIGNATURE-----\n${body.toString('base64', 0, at)}\n-----END SSH SIGNATURE-----`;
    assert.equal(verifySshSignature(Buffer.from('x'), cut).valid, false, `cut at ${at}`);
  }
  for (const text of ['', 'x', '-----BEGIN SSH SIGNATURE-----', good.replace('END', 'BEGIN')]) {
    assert.deepEqual(verifySshSignature(Buffer.from('x'), text), { valid: false, key: undefined });
  }
});

test('the signature type is detected, and unsigned objects have none', () => {
  assert.equal(signatureType('-----BEGIN PGP SIGNATURE-----\n'), 'PGP');
  assert.equal(signatureType('-----BEGIN SIGNED MESSAGE-----\n'), 'X509');
  assert.equal(signatureType('-----BEGIN SSH SIGNATURE-----\n'), 'SSH');
  assert.equal(signatureType('hello'), undefined);
  const long = `-----BEGIN PGP SIGNATURE-----\n ${'x'.repeat(1 << 20)}`;
  const giant = signatureOf('commit', Buffer.from(`tree x\ngpgsig ${long}\n\nmessage\n`));
  assert.deepEqual([giant?.type, giant?.signature], ['PGP', '']);
  assert.equal(signatureOf('commit', raw(work.commit({ f: 'x' }), 'commit')), undefined);
  work.git('tag', '-a', '-m', 'plain', 'plain');
  assert.equal(signatureOf('tag', raw('plain', 'tag')), undefined);
});
