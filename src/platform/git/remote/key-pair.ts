import { generateKeyPair, hash, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { trimTrailing } from '../../trim.ts';
import { sshString } from '../signatures/ssh-wire.ts';

const generate = promisify(generateKeyPair);

/** An SSH key pair with which this server authenticates. */
export interface SshKeyPair {
  /** PEM. */
  readonly privateKey: string;
  /** One line in `authorized_keys` format. */
  readonly publicKey: string;
}

/** Generates an RSA key pair, because every server accepts RSA. */
export async function generateSshKeyPair(comment: string, bits = 4096): Promise<SshKeyPair> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: bits });
  return {
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    publicKey: `ssh-rsa ${wireForm(publicKey).toString('base64')} ${comment}`,
  };
}

function wireForm(key: KeyObject): Buffer {
  const { e = '', n = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([sshString('ssh-rsa'), positive(e), positive(n)]);
}

function positive(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  // With the leading bit set, the number would be negative.
  return sshString((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** Returns the SHA256 fingerprints of the keys in `known_hosts` lines. */
export function hostKeyFingerprints(knownHosts: string): string[] {
  const keys = knownHosts.split('\n').flatMap((line) => /^\S+ \S+ ([A-Za-z0-9+/=]+)/.exec(line)?.[1] ?? []);
  return keys.map((key) => `SHA256:${trimTrailing(hash('sha256', Buffer.from(key, 'base64'), 'base64'), '=')}`);
}
