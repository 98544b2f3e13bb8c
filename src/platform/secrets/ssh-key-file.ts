import { link, open, readFile, rm } from 'node:fs/promises';
import ssh2 from 'ssh2';

/** The text of a file of SSH keys, made at the first start; only its owner can read it. */
export async function sshKeyFile(path: string, make: () => string): Promise<string> {
  const known = await readIfThere(path);
  if (known !== undefined) return known;
  const aside = `${path}.${process.pid}`;
  const file = await open(aside, 'w', 0o600);
  try {
    await file.writeFile(readableKey(make));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // Not a rename: of several processes that start at once, the first one's key is everybody's.
    await link(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return readFile(path, 'utf8');
}

/**
 * A key that can be read again. The library cuts leading zero bytes off a public key, so one in 256 that it makes is
 * broken, and a server that stored such a one would never start again.
 */
export function readableKey(make: () => string): string {
  for (;;) {
    const key = make();
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
