import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { trimTrailing } from '../../trim.ts';
import { SshReader } from './ssh-wire.ts';

/** An SSH public key. */
export interface SshPublicKey {
  /** `ssh-ed25519`, `ssh-rsa`, ... */
  readonly type: string;
  /** `<type> <base64>`, as in an authorized_keys file. */
  readonly text: string;
  /** `SHA256:<base64>`. */
  readonly fingerprint: string;
  readonly key: KeyObject;
  /** For security keys: the application the key signs for. */
  readonly application: Buffer | undefined;
}

const CURVES: Readonly<Record<string, { jwk: string; bytes: number }>> = {
  nistp256: { jwk: 'P-256', bytes: 32 },
  nistp384: { jwk: 'P-384', bytes: 48 },
  nistp521: { jwk: 'P-521', bytes: 66 },
};
const MIN_RSA_BITS = 1024;
const MAX_RSA_BITS = 16_384;

/** Parses the wire format of a key; undefined when it is malformed, too weak or of an unsupported type. */
export function parseSshKey(blob: Buffer): SshPublicKey | undefined {
  try {
    const reader = new SshReader(blob);
    const type = reader.text();
    const found = readKey(type, reader);
    if (!found || !reader.atEnd) return undefined;
    const fingerprint = `SHA256:${trimTrailing(createHash('sha256').update(blob).digest('base64'), '=')}`;
    return { type, text: `${type} ${blob.toString('base64')}`, fingerprint, ...found };
  } catch {
    // Truncated fields, points off the curve or invalid numbers.
    return undefined;
  }
}

function readKey(type: string, reader: SshReader): Pick<SshPublicKey, 'key' | 'application'> | undefined {
  if (type === 'ssh-ed25519') return { key: ed25519(reader.string()), application: undefined };
  if (type === 'sk-ssh-ed25519@openssh.com') {
    return { key: ed25519(reader.string()), application: reader.string() };
  }
  if (type === 'ssh-rsa') return rsa(reader);
  if (type.startsWith('ecdsa-sha2-')) return { key: ecdsa(type.slice(11), reader), application: undefined };
  if (type === 'sk-ecdsa-sha2-nistp256@openssh.com') {
    return { key: ecdsa('nistp256', reader), application: reader.string() };
  }
  return undefined;
}

function ed25519(point: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }, format: 'jwk' });
}

function rsa(reader: SshReader): Pick<SshPublicKey, 'key' | 'application'> | undefined {
  const e = reader.mpint();
  const n = reader.mpint();
  const bits = n.length * 8;
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS || e.length > 8) return undefined;
  const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
  return { key: createPublicKey({ key: jwk, format: 'jwk' }), application: undefined };
}

function ecdsa(expected: string, reader: SshReader): KeyObject {
  const name = reader.text();
  const curve = CURVES[name];
  const point = reader.string();
  if (!curve || name !== expected || point[0] !== 4 || point.length !== 1 + 2 * curve.bytes)
    throw new Error('bad point');
  const x = point.toString('base64url', 1, 1 + curve.bytes);
  const y = point.toString('base64url', 1 + curve.bytes);
  return createPublicKey({ key: { kty: 'EC', crv: curve.jwk, x, y }, format: 'jwk' });
}
