import type { HeaderList } from '../../platform/http/responses/headers.ts';
import type { FileMetadata } from './service.ts';

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
const written = new WeakMap<FileMetadata, HeaderList>();

/** The headers that describe a file, under the name that real clients read and under the one of the documents. */
export function fileHeaders(file: FileMetadata): HeaderList {
  const known = written.get(file) ?? headersOf(file);
  written.set(file, known);
  return known;
}

function headersOf(file: FileMetadata): HeaderList {
  return names.flatMap(([name, field]) => {
    const value = headerText(String(file[field]));
    return [`x-gitlab-${name}`, value, `x-service-${name}`, value];
  });
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
