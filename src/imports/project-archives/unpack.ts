import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar, type TarEntry } from '../../platform/git/archive/tar.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { longNameFolder } from './long-names.ts';

/** The archive is invalid or malicious. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

/** Limits on the unpacked size. */
export interface UnpackLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** The used entries of a project archive; all others are ignored. */
const ofProject: readonly RegExp[] = [
  /^VERSION$/,
  /^project(?:\.wiki)?\.bundle$/,
  /^tree\/project\.json$/,
  /^tree\/project\/[a-z_]+\.ndjson$/,
  /^lfs-objects\/[0-9a-f]{64}$/,
  /^uploads\/[0-9a-f]{32}\/[^/]{1,255}$/,
];

/**
 * Unpacks an archive into a folder: only regular files with known names. Archives with links, devices or paths that
 * leave the folder, and archives that are truncated or exceed the limits, are rejected entirely.
 */
export async function unpack(
  packed: NodeJS.ReadableStream,
  folder: string,
  limits: UnpackLimits,
  signal: AbortSignal,
  /** Maps the path of an entry, if it differs in the folder. */
  placeOf: (path: string) => string = (path) => path,
  patterns: readonly RegExp[] = ofProject,
): Promise<void> {
  const gunzip = createGunzip();
  const feeding = pipeline(packed, gunzip, { signal });
  feeding.catch(() => undefined);
  let entries = 0;
  try {
    for await (const entry of readTar(limited(gunzip, limits.bytes))) {
      if (++entries > limits.entries) throw new BadArchive('the file has too many entries');
      await extractEntry(entry, folder, signal, { placeOf, patterns });
    }
    await feeding;
  } catch (error) {
    if (signal.aborted || error instanceof BadArchive || isOfDisk(error)) throw error;
    throw new BadArchive(`the file cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    gunzip.destroy();
  }
}

/** Whether an error is not caused by the archive, such as a full disk. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Passes bytes through up to a limit. */
export async function* limited(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BadArchive(`the file unpacks to more than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function extractEntry(
  entry: TarEntry,
  folder: string,
  signal: AbortSignal,
  { placeOf, patterns }: { readonly placeOf: (path: string) => string; readonly patterns: readonly RegExp[] },
): Promise<void> {
  const { kind } = entry;
  if (kind === 'global') return;
  const path = placeOf(plainPath(entry.path));
  if (kind === 'directory') return;
  if (kind !== 'file') throw new BadArchive(`the file has an entry that is not a regular file: ${shown(entry.path)}`);
  if (!Number.isSafeInteger(entry.size) || entry.size < 0)
    throw new BadArchive('the file has an entry with an invalid size');
  if (!patterns.some((name) => name.test(path))) return;
  const name = basename(path);
  const inFolder = longNameFolder(name);
  const place = join(folder, dirname(path), inFolder === undefined ? name : join(inFolder, 'content'));
  try {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    if (inFolder !== undefined) await writeFile(join(dirname(place), 'name'), name, { flag: 'wx', mode: 0o600 });
    // Duplicate names are rejected: they could be used to have one file checked and another used.
    await pipeline(entry.content, createWriteStream(place, { flags: 'wx', mode: 0o600 }), { signal });
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTDIR')) {
      throw new BadArchive(`the file has the same entry twice: ${shown(path)}`);
    }
    throw error;
  }
}

function plainPath(sent: string): string {
  const path = trimTrailing(sent.replace(/^(?:\.\/)+/, ''), '/');
  const leaves = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..');
  if (leaves || path.includes('\0'))
    throw new BadArchive(`the file has an entry with a path outside of it: ${shown(sent)}`);
  return path;
}

const shown = (path: string) => JSON.stringify(path.slice(0, 100));
