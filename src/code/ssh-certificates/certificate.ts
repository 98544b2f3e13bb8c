import { isIP } from 'node:net';
import { parseSshKey, type SshPublicKey } from '../../platform/git/signatures/ssh-key.ts';
import { isSignedWith } from '../../platform/git/signatures/ssh-verify.ts';
import { SshReader, sshString } from '../../platform/git/signatures/ssh-wire.ts';
import { addressRanges, isAddressRange } from '../../platform/http/server/address-ranges.ts';

/** An OpenSSH user certificate with a verified signature. */
export interface UserCertificate {
  /** The certified key. */
  readonly key: SshPublicKey;
  /** Fingerprint of the authority's key. */
  readonly authority: string;
  /** The key ID, used as the user name. */
  readonly keyId: string;
  /** Valid principals; empty for any. */
  readonly principals: readonly string[];
  /** Unix time in seconds. */
  readonly after: bigint;
  readonly before: bigint;
  /** Allowed source addresses; undefined for any. */
  readonly sources: readonly string[] | undefined;
}

const ending = '-cert-v01@openssh.com';
const userCertificate = 1;

/** Number of public key fields by certificate type. */
const fields: Readonly<Record<string, number>> = {
  'ssh-ed25519': 1,
  'ssh-rsa': 2,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};

/** Whether a public key blob is a certificate. */
export function isCertificate(blob: Buffer): boolean {
  try {
    return new SshReader(blob).text().endsWith(ending);
  } catch {
    return false;
  }
}

/** Parses a user certificate; undefined if it is malformed, not correctly signed, or has unknown critical options. */
export function readCertificate(blob: Buffer): UserCertificate | undefined {
  try {
    return read(blob);
  } catch {
    // Truncated data.
    return undefined;
  }
}

function read(blob: Buffer): UserCertificate | undefined {
  const reader = new SshReader(blob);
  const type = plainType(reader.text());
  const count = Object.hasOwn(fields, type) ? fields[type] : undefined;
  if (count === undefined) return undefined;
  reader.string(); // Nonce.
  const key = parseSshKey(
    Buffer.concat([type, ...Array.from({ length: count }, () => reader.string())].map((part) => sshString(part))),
  );
  reader.take(8); // Serial number.
  const kind = reader.number();
  const keyId = reader.string().toString('utf8');
  const principals = strings(reader.string());
  const [after, before] = [reader.take(8).readBigUInt64BE(), reader.take(8).readBigUInt64BE()];
  const conditions = pairs(reader.string());
  reader.string(); // Extensions, which only concern terminals.
  reader.string(); // Reserved.
  const authorityBlob = reader.string();
  const signature = reader.string();
  const authority = parseSshKey(authorityBlob);
  if (!key || !authority || !reader.atEnd || kind !== userCertificate || keyId === '') return undefined;
  const signed = blob.subarray(0, blob.length - 4 - signature.length);
  const sources = sourcesIn(conditions);
  if (!isValidSshSignature(authority, signed, signature) || sources === 'unknown') return undefined;
  return { key, authority: authority.fingerprint, keyId, principals, after, before, sources };
}

/** The plain key type of a certificate type; OpenSSH replaces the suffix of its own types. */
function plainType(type: string): string {
  const plain = type.endsWith(ending) ? type.slice(0, -ending.length) : '';
  return plain.startsWith('sk-') ? `${plain}@openssh.com` : plain;
}

function strings(packed: Buffer): string[] {
  const reader = new SshReader(packed);
  const found: string[] = [];
  while (!reader.atEnd) found.push(reader.string().toString('utf8'));
  return found;
}

function pairs(packed: Buffer): Map<string, Buffer> {
  const reader = new SshReader(packed);
  const found = new Map<string, Buffer>();
  while (!reader.atEnd) found.set(reader.text(), reader.string());
  return found;
}

/** Critical options must be enforced, so a certificate with an unknown one is invalid. */
function sourcesIn(conditions: ReadonlyMap<string, Buffer>): readonly string[] | undefined | 'unknown' {
  if ([...conditions.keys()].some((name) => name !== 'source-address')) return 'unknown';
  const packed = conditions.get('source-address');
  if (!packed) return undefined;
  const ranges = new SshReader(packed).string().toString('latin1').split(',');
  return ranges.every(isAddressRange) ? ranges : 'unknown';
}

/** Verifies an SSH signature: algorithm, signature and, for security keys, flags and counter. */
export function isValidSshSignature(key: SshPublicKey, bytes: Buffer, signature: Buffer): boolean {
  try {
    const reader = new SshReader(signature);
    const algorithm = reader.text();
    const value = reader.string();
    const token = key.application ? reader.take(5) : Buffer.alloc(0);
    const touched = !key.application || ((token[0] ?? 0) & 1) === 1;
    return reader.atEnd && touched && isSignedWith(key, bytes, { algorithm, value, token });
  } catch {
    return false;
  }
}

/** Whether a certificate is valid at a time for a client address. */
export function isValidCertificate(
  { keyId, principals, after, before, sources }: Omit<UserCertificate, 'key' | 'authority'>,
  { now, ip }: { readonly now: number; readonly ip: string },
): boolean {
  const seconds = BigInt(Math.floor(now / 1000));
  if (seconds < after || seconds >= before) return false;
  if (principals.length > 0 && !principals.includes(keyId)) return false;
  return sources === undefined || (isIP(ip) !== 0 && addressRanges(sources)(ip));
}
