import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fault } from '../faults.ts';
import { ifMissing } from '../missing.ts';
import { openDirectories, syncDirectory } from './directories.ts';
import { openIncoming } from './incoming.ts';
import { checkKey } from './key.ts';
import { createMeasure } from './measure.ts';
import {
  type ByteRange,
  type ExpectedFile,
  FileMissing,
  type OpenFile,
  RangeUnsatisfiable,
  type Storage,
  type StoredFile,
} from './storage.ts';

/**
 * Stores files in a local directory: written to a temporary file, synced and renamed, so that a crash leaves the old
 * file, the new one or none.
 */
export async function openLocalStorage(directory: string): Promise<Storage> {
  const root = resolve(directory);
  const directories = await openDirectories(root);
  const incoming = await openIncoming(join(root, '.incoming'));

  const pathOf = (key: string): string => {
    checkKey(key);
    return join(root, key);
  };

  const moveInto = async (from: string, path: string): Promise<void> => {
    await directories.make(dirname(path));
    await rename(from, path);
    fault('storage.renamed');
    await syncDirectory(dirname(path));
  };

  return {
    async put(key, body, expected = {}): Promise<StoredFile> {
      const path = pathOf(key);
      const aside = incoming.take();
      try {
        const stored = await write(aside, body, expected);
        fault('storage.written');
        await moveInto(aside, path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          directories.forget(dirname(path));
          return moveInto(aside, path);
        });
        return stored;
      } finally {
        await incoming.drop(aside);
      }
    },

    async get(key, range): Promise<OpenFile> {
      const { file, size } = await openRegular(pathOf(key), key);
      try {
        const stream = file.createReadStream(satisfied(range, size));
        return { stream, size };
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async stat(key) {
      const found = await stat(pathOf(key)).catch(ifMissing);
      return found?.isFile() ? { size: found.size } : undefined;
    },

    async delete(key) {
      const path = pathOf(key);
      const gone = await unlink(path).then(() => true, ifMissing);
      if (gone) await syncDirectory(dirname(path));
    },
  };
}

async function write(path: string, body: AsyncIterable<Uint8Array>, expected: ExpectedFile): Promise<StoredFile> {
  const measure = createMeasure(expected);
  const file = await open(path, 'wx', 0o600);
  try {
    await pipeline(body, measure.through, (chunks) => file.writeFile(chunks));
    await file.sync();
  } finally {
    await file.close();
  }
  return measure.result();
}

async function openRegular(path: string, key: string): Promise<{ file: FileHandle; size: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ifMissing);
  if (!file) throw new FileMissing(`no file ${key}`);
  const found = await file.stat();
  if (found.isFile()) return { file, size: found.size };
  await file.close();
  throw new FileMissing(`no file ${key}`);
}

function satisfied(range: ByteRange | undefined, size: number): { start?: number; end?: number } {
  if (!range) return {};
  const { start, end = size - 1 } = range;
  if (start < 0 || start >= size || end < start) throw new RangeUnsatisfiable(size);
  return { start, end };
}
