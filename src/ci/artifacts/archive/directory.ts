import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { perServer } from '../../../platform/per-server.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { type Archive, type ArchiveEntry, openStoredArchive } from './reader.ts';

/** Sixteen bytes an entry: two archives with a million of them, or any number of usual ones. */
const budget = 32 * 1024 * 1024;
/** Few entries are read in no time, and would only push the others out. */
const leastEntries = 100;
/** Sum and number of an entry share one of JavaScript's numbers, which has room for 53 bits. */
export const maxEntries = 2 ** 20;

/** Where in the directory of an archive the paths are. */
export interface Directory {
  /** What the letters of a path add up to, times a million or so, and the number of the entry; sorted. */
  readonly sums: Float64Array;
  /** By the number of the entry. */
  readonly cursors: Float64Array;
}

// By the storage and not by the process, which may hold several servers. What lies under a key never changes.
const known = perServer(
  (_storage: Storage) =>
    new LRUCache<string, Directory>({
      maxSize: budget,
      sizeCalculation: ({ sums, cursors }) => sums.byteLength + cursors.byteLength + 200,
    }),
);

/** Finds an entry by its path, the first of that name; the second time without reading the whole directory. */
export async function findEntry(
  storage: Storage,
  key: string,
  archive: Archive,
  path: string,
): Promise<ArchiveEntry | undefined> {
  const directory = known(storage).get(key);
  if (directory) return firstNamed(archive.entriesAt(cursorsOf(directory, path)), path);
  if (archive.entryCount < leastEntries || archive.entryCount > maxEntries) return firstNamed(archive.entries(), path);
  const [sums, cursors]: [number[], number[]] = [[], []];
  let found: ArchiveEntry | undefined;
  for await (const entry of archive.entries()) {
    sums.push(crc32(entry.path));
    cursors.push(entry.cursor);
    if (entry.path === path) found ??= entry;
  }
  known(storage).set(key, directoryOf(sums, cursors));
  return found;
}

/** Finds any number of entries of one archive by their paths: its directory is read whole at most once. */
export interface Finder {
  find(path: string): Promise<ArchiveEntry | undefined>;
  close(): void;
}

/** Opens a stored archive of up to a million entries to find some of them. */
export async function openFinder(storage: Storage, key: string, size: number): Promise<Finder> {
  const directory = known(storage).get(key) ?? (await readDirectory(storage, key, size));
  const archive = await openStoredArchive(storage, key, size);
  return {
    find: (path) => firstNamed(archive.entriesAt(cursorsOf(directory, path)), path),
    close: () => archive.close(),
  };
}

async function readDirectory(storage: Storage, key: string, size: number): Promise<Directory> {
  const archive = await openStoredArchive(storage, key, size);
  try {
    if (archive.entryCount > maxEntries) throw new Error(`an archive has ${archive.entryCount} entries`);
    const [sums, cursors]: [number[], number[]] = [[], []];
    for await (const entry of archive.entries()) {
      sums.push(crc32(entry.path));
      cursors.push(entry.cursor);
    }
    const directory = directoryOf(sums, cursors);
    known(storage).set(key, directory);
    return directory;
  } finally {
    archive.close();
  }
}

async function firstNamed(entries: AsyncIterable<ArchiveEntry>, path: string): Promise<ArchiveEntry | undefined> {
  for await (const entry of entries) if (entry.path === path) return entry;
  return undefined;
}

export function directoryOf(sums: readonly number[], cursors: readonly number[]): Directory {
  return {
    sums: Float64Array.from(sums, (sum, number) => sum * maxEntries + number).sort(),
    cursors: Float64Array.from(cursors),
  };
}

/** Where the entry of a path may be: other paths can add up to the same, so each has to be looked at. */
export function cursorsOf({ sums, cursors }: Directory, path: string): number[] {
  const first = crc32(path) * maxEntries;
  let [low, high] = [0, sums.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let sum = sums[low]; sum !== undefined && sum < first + maxEntries; sum = sums[++low]) {
    found.push(cursors[sum - first] ?? 0);
  }
  return found;
}
