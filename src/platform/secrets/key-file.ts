import { createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault } from '../faults.ts';
import { syncDirectory } from '../storage/directories.ts';
import { randomToken } from './tokens.ts';

/** An encryption key; its id is a fingerprint of the key, so the two always match. */
export interface Key {
  readonly id: string;
  readonly secret: KeyObject;
}

const explanation = `# Keys that encrypt secrets in the database: one a line, 32 bytes in base64url.
# The first encrypts, all decrypt. Keep a copy apart from the backups of the database.
`;

/**
 * Reads the keys, newest first; creates a file with one new key if there is none. Safe for processes that start
 * concurrently.
 */
export async function readKeyFile(path: string): Promise<Key[]> {
  return parseKeys(await contentsOf(path), path);
}

/** Parses a key file; throws for an invalid line, naming its number but not its content. */
function parseKeys(contents: string, path: string): Key[] {
  const keys: Key[] = [];
  for (const [index, line] of contents.split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== 32 || !/^[\w-]+$/.test(text)) throw new Error(`${path}: line ${index + 1} is not a key`);
    keys.push({ id: hash('sha256', bytes, 'hex').slice(0, 8), secret: createSecretKey(bytes) });
  }
  if (keys.length === 0) throw new Error(`${path}: contains no key`);
  return keys;
}

async function contentsOf(path: string): Promise<string> {
  try {
    const { mode } = await stat(path);
    if (mode & 0o007) throw new Error(`${path}: accessible to all users; run chmod 600 on it`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await create(path);
    return readFile(path, 'utf8');
  }
}

async function create(path: string): Promise<void> {
  const written = await writeAside(path, `${explanation}${randomBytes(32).toString('base64url')}\n`);
  try {
    fault('secrets.key-written');
    // A link never replaces a file: of several processes that start at once one wins, and the others read its key.
    await link(written, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(written, { force: true });
  }
}

async function writeAside(path: string, contents: string): Promise<string> {
  const aside = `${path}.${randomToken(8)}.tmp`;
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
  return aside;
}
