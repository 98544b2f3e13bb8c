import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSshKey } from '../../../../src/people/keys/ssh/public-key.ts';
import { type KeyRestrictions, readSshKey } from '../../../../src/people/keys/ssh/rules.ts';
import { sshKeys } from '../specimens.ts';

const field = (bytes: Buffer | string) => {
  const body = Buffer.from(bytes as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
};
const line = (type: string, ...fields: (Buffer | string)[]) =>
  `${type} ${Buffer.concat([type, ...fields].map(field)).toString('base64')}`;

/** Extracts the point of an ECDSA key from its encoded form. */
function pointOf(text: string): Buffer {
  const blob = Buffer.from(text.split(' ')[1] as string, 'base64');
  return blob.subarray(blob.length - 65);
}

describe('SSH public key', () => {
  for (const [name, { text, bits, sha256, md5 }] of Object.entries(sshKeys)) {
    it(`is parsed like ssh-keygen does: ${name}`, () => {
      const key = parseSshKey(`  ${text}\n`);
      assert.deepEqual([key?.bits, key?.fingerprintSha256, key?.fingerprintMd5, key?.text], [bits, sha256, md5, text]);
    });
  }

  it('may belong to a security token', () => {
    const application = 'ssh:';
    const ed = parseSshKey(line('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7), application));
    assert.equal(ed?.type, 'ed25519_sk');
    const point = pointOf(sshKeys.ecdsa256.text);
    const ec = parseSshKey(line('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point, application));
    assert.equal(ec?.type, 'ecdsa_sk');
  });

  const point = pointOf(sshKeys.ecdsa256.text);
  const offCurve = Buffer.concat([point.subarray(0, 64), Buffer.from([(point[64] as number) ^ 1])]);
  const [type = '', encoded = ''] = sshKeys.ed25519.text.split(' ');
  const wrong: Record<string, string> = {
    'not a key': 'not a key',
    'a private key': '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----',
    'two lines': `${sshKeys.ed25519.text}\n${sshKeys.ecdsa256.text}`,
    'a leading option': `no-pty ${sshKeys.ed25519.text}`,
    'a different type in the blob': `ssh-rsa ${encoded}`,
    'an unknown type': `ssh-foo ${encoded}`,
    'a property name of Object': `constructor ${encoded}`,
    truncated: `${type} ${encoded.slice(0, -8)}`,
    'trailing data': line('ssh-ed25519', Buffer.alloc(32), 'more'),
    'too few bytes': line('ssh-ed25519', Buffer.alloc(31)),
    'non-canonical base64': `${type} ${encoded.replace(/=*$/, '')}==`,
    'a point off the curve': line('ecdsa-sha2-nistp256', 'nistp256', offCurve),
    'the curve of another type': line('ecdsa-sha2-nistp384', 'nistp256', point),
    'a negative modulus': line('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(256, 0xff)),
  };
  for (const [name, text] of Object.entries(wrong)) {
    it(`is rejected: ${name}`, () => assert.equal(parseSshKey(text), undefined));
  }
});

const usual: KeyRestrictions = {
  rsa_key_restriction: 2048,
  dsa_key_restriction: -1,
  ecdsa_key_restriction: 0,
  ed25519_key_restriction: 0,
  ecdsa_sk_key_restriction: 0,
  ed25519_sk_key_restriction: 0,
};

describe('SSH key rules', () => {
  const cases: [string, string, string[]][] = [
    ['blank', ' ', ["can't be blank"]],
    ['nonsense', 'ssh-rsa AAAA', ['is invalid']],
    ['too long', 'a'.repeat(5001), ['is too long (maximum is 5000 characters)']],
    ['DSA', sshKeys.dsa.text, ['type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK']],
    ['short RSA', sshKeys.shortRsa.text, ['must be at least 2048 bits']],
  ];
  for (const [name, text, problems] of cases) {
    it(`reject: ${name}`, () => assert.deepEqual(readSshKey(text, usual), { problems }));
  }

  it('accept the common types', () => {
    for (const name of ['rsa', 'ed25519', 'ecdsa256', 'ecdsa384', 'ecdsa521'] as const) {
      assert.ok('key' in readSshKey(sshKeys[name].text, usual), name);
    }
  });

  it('follow the instance settings', () => {
    const strict = { ...usual, rsa_key_restriction: 4096, ecdsa_key_restriction: -1, ed25519_sk_key_restriction: -1 };
    const problemsOf = (name: keyof typeof sshKeys) => {
      const read = readSshKey(sshKeys[name].text, strict);
      return 'problems' in read ? read.problems : [];
    };
    assert.deepEqual(problemsOf('rsa'), ['must be at least 4096 bits']);
    assert.deepEqual(problemsOf('ecdsa256'), ['type is forbidden. Must be RSA, ED25519, or ECDSA_SK']);
    assert.deepEqual(problemsOf('ed25519'), []);
    const lax = { ...usual, rsa_key_restriction: 0, dsa_key_restriction: 0 };
    for (const name of ['dsa', 'shortRsa'] as const) assert.ok('key' in readSshKey(sshKeys[name].text, lax), name);
  });
});
