import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { trimCharacters } from '../../trim.ts';
import { canBeLfsPointer } from '../objects/lfs-pointer.ts';
import type { GitOptions, Repository } from '../process/command.ts';
import { gitOutput } from '../process/output.ts';
import { bzip2, requireBzip2 } from './bzip2.ts';
import { readTar, type TarEntry, writeTar } from './tar.ts';
import { writeZip } from './zip.ts';

/** Supported download formats of a tree. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip';

/** Replaces the content of a small blob in the archive, for example with the object behind an LFS pointer. */
export type ReplaceBlob = (
  path: string,
  content: Buffer,
) => Promise<{ readonly size: number; readonly content: TarEntry['content'] } | undefined>;

/** Contents of an archive. */
export interface ArchiveQuery {
  /** Full commit id, so that the same query always produces the same bytes. */
  readonly commit: string;
  readonly format: ArchiveFormat;
  /** Top-level folder of all entries, without a trailing slash. */
  readonly topFolder: string;
  /** Limits the archive to this file or folder; entries keep their full path. */
  readonly path?: string;
  readonly excludePaths?: readonly string[];
  /** Called for each file small enough to be an LFS pointer. */
  readonly replaceBlob?: ReplaceBlob;
}

const TIMEOUT_MS = 15 * 60_000;

/**
 * Streams an archive. Rejects when git cannot start it (unknown commit or path), so that nothing has been sent by then;
 * a later failure destroys the stream. git itself honours `export-ignore` and `export-subst`.
 */
export async function archive(
  repo: Repository,
  query: ArchiveQuery,
  options: Pick<GitOptions, 'signal' | 'timeoutMs'> = {},
): Promise<Readable> {
  if (query.format === 'tar.bz2') await requireBzip2();
  const tar = await startedTar(repo, query, options);
  if (query.format === 'zip') return bytes(writeZip(selectedEntries(tar, query)));
  const plain = query.replaceBlob || query.excludePaths?.length ? writeTar(selectedEntries(tar, query)) : tar;
  if (query.format === 'tar') return bytes(plain);
  if (query.format === 'tar.bz2') return bytes(bzip2(bytes(plain)));
  // An error of either side reaches the reader as the error of the destroyed stream.
  return pipeline(bytes(plain), createGzip(), () => {});
}

async function startedTar(
  repo: Repository,
  query: ArchiveQuery,
  options: Pick<GitOptions, 'signal' | 'timeoutMs'>,
): Promise<AsyncGenerator<Buffer, void>> {
  const command = {
    name: 'archive',
    flags: ['--format=tar', `--prefix=${query.topFolder}/`],
    args: [query.commit],
    paths: query.path === undefined ? [] : [query.path],
  } as const;
  // Uses the transport lane, because a slow client may keep it busy for a long time.
  const tar = gitOutput(repo, command, { timeoutMs: TIMEOUT_MS, lane: 'transport', ...options });
  const first = await tar.next();
  return first.done ? tar : resumed(first.value, tar);
}

async function* resumed(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* selectedEntries(source: AsyncIterable<Buffer>, query: ArchiveQuery): AsyncGenerator<TarEntry, void> {
  const excluded = (query.excludePaths ?? []).map((path) => trimCharacters(path, '/')).filter(Boolean);
  for await (const entry of readTar(source)) {
    if (entry.kind === 'global') {
      yield entry;
      continue;
    }
    const path = entry.path.slice(query.topFolder.length + 1).replace(/\/$/, '');
    if (excluded.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) continue;
    const replace = entry.kind === 'file' && canBeLfsPointer(entry.size) ? query.replaceBlob : undefined;
    yield replace ? await replacedEntry(entry, path, replace) : entry;
  }
}

async function replacedEntry(entry: TarEntry, path: string, replaceBlob: ReplaceBlob): Promise<TarEntry> {
  const content = await buffer(bytes(entry.content));
  const other = await replaceBlob(path, content);
  return { ...entry, ...(other ?? { content: [content] }) };
}

function bytes(source: AsyncIterable<Buffer> | Iterable<Buffer>): Readable {
  return Readable.from(source, { objectMode: false });
}
