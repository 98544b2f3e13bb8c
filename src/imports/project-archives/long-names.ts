import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../platform/missing.ts';

/** File systems limit names to this many bytes; uploads can have names of 255 characters. */
const maxNameBytes = 255;

/** The folder that takes the place of a file whose name is too long for the file system; undefined for other names. */
export function longNameFolder(name: string): string | undefined {
  return Buffer.byteLength(name) > maxNameBytes ? hash('sha256', name, 'hex') : undefined;
}

/** The unpacked files in a folder with their names in the archive. Yields nothing if the folder does not exist. */
export async function* namedFiles(
  folder: string,
): AsyncGenerator<{ readonly filename: string; readonly path: string }, void> {
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(ifMissing)) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      yield { filename: await readFile(join(path, 'name'), 'utf8'), path: join(path, 'content') };
    else yield { filename: entry.name, path };
  }
}
