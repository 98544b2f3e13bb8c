import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar, type TarEntry } from '../../platform/git/archive/tar.ts';
import { trimTrailing } from '../../platform/trim.ts';

/** The file is not what it should be, or one that is meant to do harm. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

/** The most that may come out of a file. */
export interface UnpackLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** What of the file of a project is of use here; the rest is passed over, whatever it is called. */
const ofProject: readonly RegExp[] = [
  /^VERSION$/,
  /^project(?:\.wiki)?\.bundle$/,
  /^tree\/project\.json$/,
  /^tree\/project\/[a-z_]+\.ndjson$/,
  /^lfs-objects\/[0-9a-f]{64}$/,
  /^uploads\/[0-9a-f]{32}\/[^/]{1,255}$/,
];

/**
 * Unpacks a file into a folder: plain files of known names only. Anything that could lead out of the folder (links,
 * devices, names with `..`), and a file that is cut short or grows beyond its limits, is refused as a whole.
 */
export async function unpack(
  packed: NodeJS.ReadableStream,
  folder: string,
  limits: UnpackLimits,
  signal: AbortSignal,
  /** Where an entry belongs, where it is not called so. */
  placeOf: (path: string) => string = (path) => path,
  wanted: readonly RegExp[] = ofProject,
): Promise<void> {
  const gunzip = createGunzip();
  const feeding = pipeline(packed, gunzip, { signal });
  feeding.catch(() => undefined);
  let entries = 0;
  try {
    for await (const entry of readTar(counted(gunzip, limits.bytes))) {
      if (++entries > limits.entries) throw new BadArchive('the file has too many entries');
      await take(entry, folder, signal, { placeOf, wanted });
    }
    await feeding;
  } catch (error) {
    if (signal.aborted || error instanceof BadArchive || isOfDisk(error)) throw error;
    throw new BadArchive(`the file cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    gunzip.destroy();
  }
}

/** What the file has no part in: a full disk, say. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Bytes as they are, up to a number of them. */
export async function* counted(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > most) throw new BadArchive(`the file unpacks to more than ${most} bytes`);
    yield chunk;
  }
}

async function take(
  entry: TarEntry,
  folder: string,
  signal: AbortSignal,
  { placeOf, wanted }: { readonly placeOf: (path: string) => string; readonly wanted: readonly RegExp[] },
): Promise<void> {
  const { kind } = entry;
  if (kind === 'global') return;
  const path = placeOf(plainPath(entry.path));
  if (kind === 'directory') return;
  if (kind !== 'file') throw new BadArchive(`the file has an entry that is no plain file: ${shown(entry.path)}`);
  if (!Number.isSafeInteger(entry.size) || entry.size < 0) throw new BadArchive('the file has an entry of no size');
  if (!wanted.some((name) => name.test(path))) return;
  const place = join(folder, path);
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  // A name that comes twice is a way to have one looked at and another used.
  const file = createWriteStream(place, { flags: 'wx', mode: 0o600 });
  await pipeline(entry.content, file, { signal }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new BadArchive(`the file has the same entry twice: ${shown(path)}`);
    }
    throw error;
  });
}

function plainPath(sent: string): string {
  const path = trimTrailing(sent.replace(/^(?:\.\/)+/, ''), '/');
  const leaves = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..');
  if (leaves || path.includes('\0')) throw new BadArchive(`the file has an entry that leads out of it: ${shown(sent)}`);
  return path;
}

const shown = (path: string) => JSON.stringify(path.slice(0, 100));
