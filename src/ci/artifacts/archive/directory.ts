import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { perServer } from '../../../platform/per-server.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { type Archive, type ArchiveEntry, openStoredArchive } from './reader.ts';

/**
 * Cache size in bytes. An entry takes 16 bytes, so this holds two archives with a million entries each, or many of
 * usual size.
 */
const cacheBytes = 32 * 1024 * 1024;
/** Smaller directories are not cached: scanning them is fast, and they would only evict larger ones. */
const minEntriesToCache = 100;
/** Largest directory that can be indexed: the checksum and the index of an entry share one 53-bit integer. */
export const maxEntries = 2 ** 20;

/** Index of an archive's central directory: maps paths to the positions of their entries. */
export interface Directory {
  /** `crc32(path) * maxEntries + index of the entry`, sorted. */
  readonly sums: Float64Array;
  /** Positions in the central directory, by index of the entry. */
  readonly cursors: Float64Array;
}

// Cached per storage, because one process may run several servers. The content behind a key never changes.
const directoryCache = perServer(
  (_storage: Storage) =>
    new LRUCache<string, Directory>({
      maxSize: cacheBytes,
      sizeCalculation: ({ sums, cursors }) => sums.byteLength + cursors.byteLength + 200,
    }),
);

/**
 * Finds the first entry with this path. Later lookups use the cached index instead of reading the whole central
 * directory.
 */
export async function findEntry(
  storage: Storage,
  key: string,
  archive: Archive,
  path: string,
): Promise<ArchiveEntry | undefined> {
  const directory = directoryCache(storage).get(key);
  if (directory) return firstNamed(archive.entriesAt(cursorsOf(directory, path)), path);
  if (archive.entryCount < minEntriesToCache || archive.entryCount > maxEntries)
    return firstNamed(archive.entries(), path);
  const [sums, cursors]: [number[], number[]] = [[], []];
  let found: ArchiveEntry | undefined;
  for await (const entry of archive.entries()) {
    sums.push(crc32(entry.path));
    cursors.push(entry.cursor);
    if (entry.path === path) found ??= entry;
  }
  directoryCache(storage).set(key, directoryOf(sums, cursors));
  return found;
}

/** Looks up entries of one archive by path. The central directory is read in full at most once. */
export interface Finder {
  find(path: string): Promise<ArchiveEntry | undefined>;
  close(): void;
}

/** Opens a stored archive of up to `maxEntries` entries for lookups by path. */
export async function openFinder(storage: Storage, key: string, size: number): Promise<Finder> {
  const directory = directoryCache(storage).get(key) ?? (await readDirectory(storage, key, size));
  const archive = await openStoredArchive(storage, key, size);
  return {
    find: (path) => firstNamed(archive.entriesAt(cursorsOf(directory, path)), path),
    close: () => archive.close(),
  };
}

async function readDirectory(storage: Storage, key: string, size: number): Promise<Directory> {
  const archive = await openStoredArchive(storage, key, size);
  try {
    if (archive.entryCount > maxEntries) throw new Error(`the archive has too many entries: ${archive.entryCount}`);
    const [sums, cursors]: [number[], number[]] = [[], []];
    for await (const entry of archive.entries()) {
      sums.push(crc32(entry.path));
      cursors.push(entry.cursor);
    }
    const directory = directoryOf(sums, cursors);
    directoryCache(storage).set(key, directory);
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
    sums: Float64Array.from(sums, (sum, index) => sum * maxEntries + index).sort(),
    cursors: Float64Array.from(cursors),
  };
}

/** Positions of the candidate entries for a path. Checksums collide, so the caller must compare the paths. */
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
