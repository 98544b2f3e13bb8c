import { link, open, readFile, rm } from 'node:fs/promises';
import ssh2 from 'ssh2';

/** Returns the contents of an SSH key file, which is created at the first start and readable only by its owner. */
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
    // Not a rename: of several processes that start at once, all use the first one's key.
    await link(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return readFile(path, 'utf8');
}

/**
 * Generates keys until one can be parsed. The library strips leading zero bytes from public keys, so one in 256 is
 * broken, and a server that stored such a key could never start again.
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
