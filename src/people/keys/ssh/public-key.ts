import { createPublicKey, hash } from 'node:crypto';
import { SshReader } from '../../../platform/git/signatures/ssh-wire.ts';
import { trimTrailing } from '../../../platform/trim.ts';

/** A parsed SSH public key. */
export interface SshPublicKey {
  readonly type: KeyType;
  /** Size of the modulus for RSA, of the curve for other types. */
  readonly bits: number;
  /** Normalized text: type, base64 and optional comment, separated by single spaces. */
  readonly text: string;
  /** `SHA256:` and base64 without padding. */
  readonly fingerprintSha256: string;
  /** Colon-separated hex digits. */
  readonly fingerprintMd5: string;
}

export type KeyType = 'rsa' | 'dsa' | 'ecdsa' | 'ed25519' | 'ecdsa_sk' | 'ed25519_sk';

const curves: Readonly<Record<string, { crv: string; bits: number }>> = {
  nistp256: { crv: 'P-256', bits: 256 },
  nistp384: { crv: 'P-384', bits: 384 },
  nistp521: { crv: 'P-521', bits: 521 },
};

type Body = (wire: SshReader) => Pick<SshPublicKey, 'type' | 'bits'>;

const bodies: Readonly<Record<string, Body>> = {
  'ssh-rsa': (wire) => {
    wire.positive();
    return { type: 'rsa', bits: bitLength(wire.positive()) };
  },
  'ssh-dss': (wire) => {
    const prime = wire.positive();
    for (let rest = 3; rest > 0; rest--) wire.positive();
    return { type: 'dsa', bits: bitLength(prime) };
  },
  'ssh-ed25519': (wire) => ({ type: 'ed25519', bits: ed25519(wire) }),
  'ecdsa-sha2-nistp256': (wire) => ({ type: 'ecdsa', bits: ecdsa(wire, 'nistp256') }),
  'ecdsa-sha2-nistp384': (wire) => ({ type: 'ecdsa', bits: ecdsa(wire, 'nistp384') }),
  'ecdsa-sha2-nistp521': (wire) => ({ type: 'ecdsa', bits: ecdsa(wire, 'nistp521') }),
  'sk-ssh-ed25519@openssh.com': (wire) => withApplication(wire, { type: 'ed25519_sk', bits: ed25519(wire) }),
  'sk-ecdsa-sha2-nistp256@openssh.com': (wire) =>
    withApplication(wire, { type: 'ecdsa_sk', bits: ecdsa(wire, 'nistp256') }),
};

/** Parses a line of an `authorized_keys` file without options; undefined if it is not a public key. */
export function parseSshKey(text: string): SshPublicKey | undefined {
  if (/[\r\n]/.test(text.trim())) return undefined;
  const [name = '', encoded = '', ...comment] = text.trim().split(/[ \t]+/);
  const body = Object.hasOwn(bodies, name) ? bodies[name] : undefined;
  if (!body || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const blob = Buffer.from(encoded, 'base64');
  // Accepts only the canonical base64: another encoding would be a different text with the same fingerprint.
  if (blob.toString('base64') !== encoded) return undefined;
  const wire = new SshReader(blob);
  try {
    if (wire.text() !== name) return undefined;
    const { type, bits } = body(wire);
    if (!wire.atEnd) return undefined;
    return { type, bits, text: [name, encoded, ...comment].join(' '), ...fingerprints(blob) };
  } catch {
    return undefined;
  }
}

/** Computes the fingerprints of an encoded key. */
export function fingerprints(blob: Buffer): Pick<SshPublicKey, 'fingerprintSha256' | 'fingerprintMd5'> {
  return {
    fingerprintSha256: `SHA256:${trimTrailing(hash('sha256', blob, 'base64'), '=')}`,
    fingerprintMd5: hash('md5', blob, 'hex').replace(/..(?!$)/g, '$&:'),
  };
}

function ed25519(wire: SshReader): number {
  if (wire.string().length !== 32) throw new RangeError('an Ed25519 key has 32 bytes');
  return 256;
}

function ecdsa(wire: SshReader, curve: string): number {
  const { crv, bits } = curves[curve] as { crv: string; bits: number };
  if (wire.text() !== curve) throw new RangeError('the curve does not match the key type');
  const point = wire.string();
  const width = Math.ceil(bits / 8);
  if (point[0] !== 4 || point.length !== 1 + 2 * width) throw new RangeError('not an uncompressed point');
  const x = point.subarray(1, 1 + width).toString('base64url');
  const y = point.subarray(1 + width).toString('base64url');
  // Throws for a point that is not on the curve.
  createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' });
  return bits;
}

/** Keys of security tokens end with the application they were created for. */
function withApplication<T>(wire: SshReader, key: T): T {
  wire.string();
  return key;
}

function bitLength(number: Buffer): number {
  const first = number[0] ?? 0;
  return number.length * 8 - Math.clz32(first) + 24;
}
