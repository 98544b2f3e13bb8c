import { objectWithContent, type StreamedObject } from '../../platform/http/base64-json.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { FileMetadata, FoundFile } from './find.ts';
import type { FileEntity } from './schema.ts';

/** A small file with its content. */
export async function withContent(file: FoundFile, metadata: FileMetadata): Promise<FileEntity> {
  if (file.blob === null) return { ...metadata, content: '' };
  const bytes = await file.objects.blob(file.blob);
  if (!bytes) throw new NotFound('File');
  return { ...metadata, content: bytes.toString('base64') };
}

/** A large file with its content: the text of the entity, made while it is sent. */
export async function streamedContent(
  { objects, blob }: FoundFile,
  metadata: FileMetadata,
  signal: AbortSignal,
): Promise<StreamedObject> {
  const opened = blob === null ? null : await objects.blobStream(blob, signal);
  if (!opened) throw new NotFound('File');
  return objectWithContent(metadata, opened);
}
