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
import { notePeople } from './relations/list.ts';
import type { Line } from './relations/walk.ts';

/** What the entries of a file are made with. */
export interface Spool {
  readonly services: Services;
  /** Where what must be measured before it is packed lies meanwhile. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The form of the tree; readers of another first number refuse it. */
export const formatVersion = '0.2.4';

/** Bytes, packed. */
export async function* packed(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const gzip = createGzip();
  // A failure of the source reaches the reader through the packer.
  const packing = pipeline(bytes, gzip, { signal });
  packing.catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer;
  await packing;
}

/** A short text as a file. */
export function text(path: string, content: string): TarEntry {
  const bytes = Buffer.from(content);
  return newTarEntry({ kind: 'file', path, size: bytes.length, mtime: now(), content: [bytes] });
}

export const now = () => Math.floor(Date.now() / 1000);

/** A repository with its refs of some kinds; nothing where it has none. */
export async function* bundle(
  making: Spool,
  path: string,
  repo: Repository,
  prefixes: readonly string[],
  branch: string | null,
): AsyncGenerator<TarEntry, void> {
  const { services, signal } = making;
  if (!(await repositoryExists(repo))) return;
  const refs = (await Promise.all(prefixes.map((prefix) => services.git.listRefs(repo, prefix)))).flat();
  if (refs.length === 0) return;
  yield await kept(making, path, bundleOf(repo, refs, branch === null ? null : `refs/heads/${branch}`, signal));
}

/** Lines as they are, whose people are noted. */
export async function* noting(lines: AsyncGenerator<Line, void>, people: Set<number>): AsyncGenerator<Line, void> {
  for await (const line of lines) {
    notePeople(line, people);
    yield line;
  }
}

/** Lines as a file. */
export function spooled(making: Spool, path: string, lines: AsyncGenerator<Line, void>): Promise<TarEntry> {
  async function* bytes(): AsyncGenerator<Buffer, void> {
    for await (const line of lines) yield lineBytes(line);
  }
  return kept(making, path, bytes());
}

export const lineBytes = (line: Line) => Buffer.from(`${JSON.stringify(line)}\n`);

/** What is measured first: the size of an entry stands before it. */
async function kept({ folder, signal }: Spool, path: string, content: AsyncGenerator<Buffer, void>): Promise<TarEntry> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, path.replaceAll('/', '+'));
  await pipeline(content, createWriteStream(file), { signal });
  const { size } = await stat(file);
  return newTarEntry({ kind: 'file', path, size, mtime: now(), content: bytesOf(file) });
}

async function* bytesOf(file: string): AsyncGenerator<Buffer, void> {
  for await (const chunk of createReadStream(file)) yield chunk as Buffer;
}
