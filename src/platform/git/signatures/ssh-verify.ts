import { createHash, verify } from 'node:crypto';
import type { SshPublicKey } from './ssh-key.ts';
import { SshReader } from './ssh-wire.ts';

/** A raw SSH signature. */
export interface SshKeySignature {
  readonly algorithm: string;
  readonly value: Buffer;
  /** Added by security keys: a flags byte and a four-byte counter; empty for other keys. */
  readonly token: Buffer;
}

/** Whether the signature over the bytes was made with this key. */
export function isSignedWith(key: SshPublicKey, bytes: Buffer, { algorithm, value, token }: SshKeySignature): boolean {
  const data = key.application ? Buffer.concat([sha256(key.application), token, sha256(bytes)]) : bytes;
  if (key.type === 'ssh-rsa') {
    // SHA-1 signatures (algorithm "ssh-rsa") are not secure and are rejected.
    const digest = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[algorithm];
    return digest !== undefined && verify(digest, data, key.key, value);
  }
  if (algorithm !== key.type) return false;
  if (key.key.asymmetricKeyType === 'ed25519') return verify(null, data, key.key, value);
  return verifyEcdsa(data, key, value);
}

function verifyEcdsa(data: Buffer, key: SshPublicKey, value: Buffer): boolean {
  const sizes: Record<string, [number, string]> = {
    prime256v1: [32, 'sha256'],
    secp384r1: [48, 'sha384'],
    secp521r1: [66, 'sha512'],
  };
  const size = sizes[key.key.asymmetricKeyDetails?.namedCurve ?? ''];
  const numbers = readPair(value);
  if (!size || !numbers) return false;
  const [bytes, digest] = size;
  if (numbers.some((number) => number.length > bytes)) return false;
  const fixed = numbers.map((number) => Buffer.concat([Buffer.alloc(bytes - number.length), number]));
  return verify(digest, data, { key: key.key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(fixed));
}

function readPair(value: Buffer): [Buffer, Buffer] | undefined {
  try {
    const reader = new SshReader(value);
    const pair: [Buffer, Buffer] = [reader.mpint(), reader.mpint()];
    return reader.atEnd ? pair : undefined;
  } catch {
    return undefined;
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
