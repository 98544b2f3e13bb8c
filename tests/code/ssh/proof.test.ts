import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { provesKeyPossession } from '../../../src/code/ssh/proof.ts';
import { sshString } from '../../../src/platform/git/signatures/ssh-wire.ts';

/** A simulated security key: its encoded public key and its signing function. */
interface Token {
  readonly algo: string;
  readonly data: Buffer;
  sign(bytes: Buffer, flags: number): Buffer;
}

const sha = (bytes: Buffer | string) => hash('sha256', bytes, 'buffer');
const numbersOf = (key: KeyObject) => {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
};

const signedPart = (bytes: Buffer, added: Buffer) => Buffer.concat([sha('ssh:'), added, sha(bytes)]);

function ed25519Token(): Token {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [point = Buffer.alloc(0)] = numbersOf(publicKey);
  const algo = 'sk-ssh-ed25519@openssh.com';
  return {
    algo,
    data: Buffer.concat([sshString(algo), sshString(point), sshString('ssh:')]),
    sign(bytes, flags) {
      const added = Buffer.from([flags, 0, 0, 0, 7]);
      return Buffer.concat([sign(null, signedPart(bytes, added), privateKey), added]);
    },
  };
}

function ecdsaToken(): Token {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algo = 'sk-ecdsa-sha2-nistp256@openssh.com';
  const point = Buffer.concat([Buffer.from([4]), ...numbersOf(publicKey)]);
  return {
    algo,
    data: Buffer.concat([sshString(algo), sshString('nistp256'), sshString(point), sshString('ssh:')]),
    sign(bytes, flags) {
      const added = Buffer.from([flags, 0, 0, 0, 7]);
      const pair = sign('sha256', signedPart(bytes, added), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const numbers = [pair.subarray(0, 32), pair.subarray(32)].map((number) =>
        sshString(Buffer.concat([Buffer.alloc(1), number])),
      );
      return Buffer.concat([...numbers, added]);
    },
  };
}

describe('security key signatures', () => {
  const blob = Buffer.from('data unique to this connection');
  for (const token of [ed25519Token(), ecdsaToken()]) {
    const { algo, data } = token;
    const attempt = (signature: Buffer, over = blob, name = algo) =>
      provesKeyPossession({ key: { algo: name, data }, blob: over, signature, hashAlgo: undefined });

    it(`are valid: ${algo}`, () => assert.equal(attempt(token.sign(blob, 1)), true));

    it(`are invalid for other data, truncated or with another algorithm: ${algo}`, () => {
      assert.equal(attempt(token.sign(blob, 1), Buffer.from('another connection')), false);
      const good = token.sign(blob, 1);
      for (let length = 0; length < good.length; length += 3) {
        assert.equal(attempt(good.subarray(0, length)), false, `cut to ${length}`);
      }
      assert.equal(attempt(good, blob, 'ssh-ed25519'), false);
      assert.equal(attempt(good, blob, 'sk-ssh-rsa@openssh.com'), false);
    });

    it(`are invalid without user presence: ${algo}`, () => assert.equal(attempt(token.sign(blob, 0)), false));
  }

  it('are invalid for a key that is not a security key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const data = Buffer.concat([sshString('ssh-ed25519'), sshString(numbersOf(publicKey)[0] ?? '')]);
    const signature = Buffer.concat([sign(null, blob, privateKey), Buffer.from([1, 0, 0, 0, 7])]);
    const key = { algo: 'sk-ssh-ed25519@openssh.com', data };
    assert.equal(provesKeyPossession({ key, blob, signature, hashAlgo: undefined }), false);
  });
});
