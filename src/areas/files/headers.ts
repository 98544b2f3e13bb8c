import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../../platform/http/headers.ts';
import type { FileMetadata } from './find.ts';

const names: readonly (readonly [string, keyof FileMetadata])[] = [
  ['blob-id', 'blob_id'],
  ['commit-id', 'commit_id'],
  ['content-sha256', 'content_sha256'],
  ['encoding', 'encoding'],
  ['execute-filemode', 'execute_filemode'],
  ['file-name', 'file_name'],
  ['file-path', 'file_path'],
  ['last-commit-id', 'last_commit_id'],
  ['ref', 'ref'],
  ['size', 'size'],
];

// The same description is kept for all who ask for the file.
const written = new WeakMap<FileMetadata, Readonly<Record<string, string>>>();

/** The headers that describe a file, under the name that real clients read and under the one of the documents. */
export function fileHeaders(file: FileMetadata): Readonly<Record<string, string>> {
  const known = written.get(file) ?? headersOf(file);
  written.set(file, known);
  return known;
}

function headersOf(file: FileMetadata): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, field] of names) {
    const value = headerText(String(file[field]));
    headers[`x-gitlab-${name}`] = value;
    headers[`x-service-${name}`] = value;
  }
  return headers;
}

/** A text as a header carries it: its UTF-8 bytes, and control characters, which would end the header, encoded. */
export function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let bytes = '';
  for (const byte of Buffer.from(text).toString('latin1')) {
    bytes += byte < ' ' || byte === '\x7f' ? encodeURIComponent(byte) : byte;
  }
  return bytes;
}

/**
 * Answers with an entity beside the headers of its file. Node writes headers and a body that is text as one text, in
 * UTF-8, which would encode the bytes of a name beyond ASCII once more: there the body has to be bytes.
 */
export async function besideHeaders<T>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { file_path, ref }: FileMetadata,
  entity: T,
): Promise<T | FastifyReply> {
  if (!/\P{ASCII}/u.test(file_path + ref)) return entity;
  const text = await sendJson(request, reply, JSON.stringify(entity));
  return reply.send(typeof text === 'string' ? Buffer.from(text) : text);
}
