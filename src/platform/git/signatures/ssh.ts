import { createHash } from 'node:crypto';
import { parseSshKey, type SshPublicKey } from './ssh-key.ts';
import { isSignedWith, type SshKeySignature } from './ssh-verify.ts';
import { SshReader, sshString } from './ssh-wire.ts';

/** Result of verifying an SSH signature; the caller has to find the owner of the key. */
export interface SshVerification {
  /** Whether the signature was made by this key, over these bytes, for git. */
  readonly valid: boolean;
  /** Undefined when the signature is malformed. */
  readonly key: Pick<SshPublicKey, 'type' | 'text' | 'fingerprint'> | undefined;
}

/** Signature parameters, which are covered by the signature. */
interface SignatureForm {
  readonly namespace: string;
  readonly reserved: Buffer;
  readonly hash: 'sha256' | 'sha512';
}

interface SshSignature extends SshKeySignature, SignatureForm {
  readonly key: SshPublicKey;
}

const MAGIC = 'SSHSIG';
const NAMESPACE = 'git';
const ARMOR = /^\s*-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/;

/** Verifies a signature like `ssh-keygen -Y verify -n git`; checking trusted signers is left to the caller. */
export function verifySshSignature(payload: Buffer, armored: string): SshVerification {
  const signature = parseSshSignature(armored);
  if (!signature) return { valid: false, key: undefined };
  const { type, text, fingerprint } = signature.key;
  return { valid: signature.namespace === NAMESPACE && isValid(payload, signature), key: { type, text, fingerprint } };
}

function parseSshSignature(armored: string): SshSignature | undefined {
  const body = ARMOR.exec(armored)?.[1];
  if (body === undefined) return undefined;
  try {
    const reader = new SshReader(Buffer.from(body, 'base64'));
    if (reader.take(MAGIC.length).toString('latin1') !== MAGIC || reader.number() !== 1) return undefined;
    const key = parseSshKey(reader.string());
    const namespace = reader.text();
    const reserved = reader.string();
    const hash = reader.text();
    const inner = new SshReader(reader.string());
    if (!key || !reader.atEnd || (hash !== 'sha256' && hash !== 'sha512')) return undefined;
    const algorithm = inner.text();
    const value = inner.string();
    const token = key.application ? inner.take(5) : Buffer.alloc(0);
    return inner.atEnd ? { key, namespace, reserved, hash, algorithm, value, token } : undefined;
  } catch {
    // A truncated field: not a valid signature.
    return undefined;
  }
}

/** Returns the bytes that are actually signed for a payload. */
export function bytesToSign(payload: Buffer, { namespace, reserved, hash }: SignatureForm): Buffer {
  return Buffer.concat([
    Buffer.from(MAGIC),
    sshString(namespace),
    sshString(reserved),
    sshString(hash),
    sshString(createHash(hash).update(payload).digest()),
  ]);
}

function isValid(payload: Buffer, signature: SshSignature): boolean {
  return isSignedWith(signature.key, bytesToSign(payload, signature), signature);
}
