import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import { bundleOf } from '../../platform/git/archive/bundle.ts';
import type { TarEntry } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { collectPeople } from './relations/list.ts';
import type { Line } from './relations/walk.ts';

/** Context for creating archive entries. */
export interface EntryContext {
  readonly services: Services;
  /** Folder for temporary files whose size must be known before they are added. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Version of the archive format. Importers reject other major versions. */
export const formatVersion = '0.2.4';

/** Compresses bytes. */
export async function* compressed(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const gzip = createGzip();
  // Errors of the source are raised by reading from the compressor.
  const packing = pipeline(bytes, gzip, { signal });
  packing.catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer;
  await packing;
}

/** A short text as an entry. */
export function text(path: string, content: string): TarEntry {
  const bytes = Buffer.from(content);
  return newTarEntry({ kind: 'file', path, size: bytes.length, mtime: now(), content: [bytes] });
}

export const now = () => Math.floor(Date.now() / 1000);

/** Bundle of a repository with refs of some prefixes; nothing if there are none. */
export async function* bundle(
  spool: EntryContext,
  path: string,
  repo: Repository,
  prefixes: readonly string[],
  branch: string | null,
): AsyncGenerator<TarEntry, void> {
  const { services, signal } = spool;
  if (!(await repositoryExists(repo))) return;
  const refs = (await Promise.all(prefixes.map((prefix) => services.git.listRefs(repo, prefix)))).flat();
  if (refs.length === 0) return;
  yield await spoolEntry(spool, path, bundleOf(repo, refs, branch === null ? null : `refs/heads/${branch}`, signal));
}

/** Passes lines through and collects the users they refer to. */
export async function* collectingPeople(
  lines: AsyncGenerator<Line, void>,
  people: Set<number>,
): AsyncGenerator<Line, void> {
  for await (const line of lines) {
    collectPeople(line, people);
    yield line;
  }
}

/** Lines as an entry. */
export function linesEntry(spool: EntryContext, path: string, lines: AsyncGenerator<Line, void>): Promise<TarEntry> {
  async function* bytes(): AsyncGenerator<Buffer, void> {
    for await (const line of lines) yield lineBytes(line);
  }
  return spoolEntry(spool, path, bytes());
}

export const lineBytes = (line: Line) => Buffer.from(`${JSON.stringify(line)}\n`);

/** Writes content to disk first, because the size of a tar entry precedes it. */
async function spoolEntry(
  { folder, signal }: EntryContext,
  path: string,
  content: AsyncGenerator<Buffer, void>,
): Promise<TarEntry> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, path.replaceAll('/', '+'));
  await pipeline(content, createWriteStream(file), { signal });
  const { size } = await stat(file);
  return newTarEntry({ kind: 'file', path, size, mtime: now(), content: bytesOf(file) });
}

async function* bytesOf(file: string): AsyncGenerator<Buffer, void> {
  for await (const chunk of createReadStream(file)) yield chunk as Buffer;
}
