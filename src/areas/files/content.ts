import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { objectWithContent, type StreamedObject } from '../../platform/http/base64-json.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Asker } from '../repository/service.ts';
import type { FileMetadata, FoundFile } from './find.ts';
import type { FileEntity } from './schema.ts';

/** A file with its content: small ones as an entity, large ones as the text of one, made while it is sent. */
export async function withContent(
  file: FoundFile,
  metadata: FileMetadata,
  asker: Asker,
): Promise<FileEntity | StreamedObject> {
  if (file.blob === null) return { ...metadata, content: '' };
  if (file.size <= SHARED_READ_BYTES) {
    const bytes = await file.objects.blob(file.blob);
    if (!bytes) throw new NotFound('File');
    return { ...metadata, content: bytes.toString('base64') };
  }
  const opened = await file.objects.blobStream(file.blob, asker.signal);
  if (!opened) throw new NotFound('File');
  return objectWithContent(metadata, opened);
}
