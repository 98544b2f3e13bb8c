import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import { rawTypeOf } from '../../code/repository/public.ts';
import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { RawFile } from '../../platform/http/responses/raw.ts';
import { snippetBranch } from './content.ts';
import { storedFiles } from './present.ts';
import type { SnippetRow } from './tables.ts';

/** Content of a snippet file and its metadata. */
export interface SnippetFile extends RawFile {
  readonly content: Readable | Buffer;
}

/** Request options; for `HEAD` the content is not read. */
export interface Reading {
  readonly signal: AbortSignal;
  readonly head: boolean;
}

/** Opens a snippet file at a branch, tag or commit. */
export async function openSnippetFile(
  { git }: Services,
  snippet: SnippetRow,
  { ref, file_path }: { readonly ref: string; readonly file_path: string },
  { signal, head }: Reading,
): Promise<SnippetFile> {
  const repo = git.repository(snippet.repository);
  const objects = git.objects(repo);
  const found = await git.resolve(repo, ref);
  const commit = found && (await objects.commit(found.commit));
  if (!commit) throw new NotFound('Reference');
  const entry = await objects.entryAt(commit.tree, file_path);
  if (!entry || entryType(entry) !== 'blob') throw new NotFound('File');
  const filename = file_path.slice(file_path.lastIndexOf('/') + 1);
  const info = await objects.info(entry.oid);
  if (info.status !== 'found') throw new NotFound('File');
  const { size } = info;
  const type = await rawTypeOf(objects, { oid: entry.oid, size }, signal);
  if (head) return { content: Readable.from([]), size, filename, ...type };
  if (size <= SHARED_READ_BYTES) {
    return { content: (await objects.blob(entry.oid)) ?? Buffer.alloc(0), size, filename, ...type };
  }
  const opened = await objects.blobStream(entry.oid, signal);
  if (!opened) throw new NotFound('File');
  return { content: opened.stream, size, filename, ...type };
}

/** Opens the first file of a snippet, served as text regardless of its type. */
export async function openFirstFile(services: Services, snippet: SnippetRow, reading: Reading): Promise<SnippetFile> {
  const [file_path] = storedFiles(snippet.files);
  if (file_path === undefined) throw new NotFound('File');
  const file = await openSnippetFile(services, snippet, { ref: snippetBranch, file_path }, reading);
  return { ...file, type: 'text/plain; charset=utf-8', attachment: false };
}
