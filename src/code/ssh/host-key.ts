import { join } from 'node:path';
import ssh2 from 'ssh2';
import { sshKeyFile } from '../../platform/secrets/ssh-key-file.ts';

const makers = {
  'ssh-host-key': () => ssh2.utils.generateKeyPairSync('ed25519').private,
  // For clients that know no Ed25519: those under FIPS rules, and many in Java.
  'ssh-host-key-ecdsa': () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private,
} as const;

/** The server's own keys, made at the first start; only the owner of the data directory can read them. */
export async function hostKeys(data: string): Promise<string[]> {
  const keys: string[] = [];
  for (const [name, make] of Object.entries(makers)) keys.push(await sshKeyFile(join(data, name), make));
  return keys;
}
