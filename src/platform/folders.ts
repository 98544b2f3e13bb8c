import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it. Returns the first one created; undefined if it existed. The recursive `mkdir` of
 * Node never returns for a folder that exists but in which none can be created, such as /proc.
 */
export async function makeFolders(path: string): Promise<string | undefined> {
  try {
    return await makeFolder(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    const above = await makeFolders(parent);
    const own = await makeFolder(path);
    return above ?? own;
  }
}

async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return undefined;
    throw error;
  }
}
