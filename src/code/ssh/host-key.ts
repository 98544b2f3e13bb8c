import { join } from 'node:path';
import ssh2 from 'ssh2';
import { sshKeyFile } from '../../platform/secrets/ssh-key-file.ts';

const makers = {
  'ssh-host-key': () => ssh2.utils.generateKeyPairSync('ed25519').private,
  // For clients without Ed25519, e.g. in FIPS mode and many Java clients.
  'ssh-host-key-ecdsa': () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private,
} as const;

/** The host keys, generated on first start. Only readable by the owner of the data directory. */
export async function hostKeys(data: string): Promise<string[]> {
  const keys: string[] = [];
  for (const [name, make] of Object.entries(makers)) keys.push(await sshKeyFile(join(data, name), make));
  return keys;
}
