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

// Metadata objects are cached and shared, so their headers are too.
const headerCache = new WeakMap<FileMetadata, HeaderList>();

/**
 * The headers that describe a file, with both the `x-gitlab-` prefix clients read and the documented `x-service-`
 * prefix.
 */
export function fileHeaders(file: FileMetadata): HeaderList {
  const known = headerCache.get(file) ?? headersOf(file);
  headerCache.set(file, known);
  return known;
}

function headersOf(file: FileMetadata): HeaderList {
  return names.flatMap(([name, field]) => {
    const value = headerText(String(file[field]));
    return [`x-gitlab-${name}`, value, `x-service-${name}`, value];
  });
}

/** Encodes a text for a header: UTF-8 bytes, with control characters percent-encoded, as they could end the header. */
export function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let bytes = '';
  for (const byte of Buffer.from(text).toString('latin1')) {
    bytes += byte < ' ' || byte === '\x7f' ? encodeURIComponent(byte) : byte;
  }
  return bytes;
}
