import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import { canBeLfsPointer, parseLfsPointer } from '../../platform/git/objects/lfs-pointer.ts';
import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { type DetectedType, detectType } from '../../platform/http/bodies/detect-type.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { RawFile } from '../../platform/http/responses/raw.ts';
import { lfsObject } from '../lfs/public.ts';
import { type ProjectCall, rawTypeOf } from '../repository/public.ts';
import { fileHeaders } from './headers.ts';
import { describeFile, type FoundFile, findFile } from './service.ts';

/** The content of a file and its response metadata. */
export interface OpenedFile extends RawFile {
  readonly content: Readable | Buffer;
}

/** Opens a file, or with `lfs` the object its pointer refers to. For `HEAD` the content is not read. */
export async function openFile(
  services: Services,
  call: ProjectCall,
  query: { readonly file_path: string; readonly ref?: string; readonly lfs: boolean },
  head: boolean,
): Promise<OpenedFile> {
  const file = await findFile(services, call, query.file_path, query.ref);
  const lfsFile = query.lfs ? await largeFile(services, call, file, head) : undefined;
  if (lfsFile) return lfsFile;
  const metadata = await describeFile(services, call, file);
  const content = head || file.blob === null ? Readable.from([]) : await bytesOf(file, file.blob, call);
  const filename = shownName(metadata.file_name);
  return { content, size: file.size, filename, headers: fileHeaders(metadata), ...(await rawContentType(file, call)) };
}

/** Detects the content type of a file. A submodule counts as empty. */
export async function rawContentType(
  { objects, blob, size }: FoundFile,
  { signal }: ProjectCall,
): Promise<DetectedType> {
  return blob === null ? detectType(Buffer.alloc(0), true) : rawTypeOf(objects, { oid: blob, size }, signal);
}

/** Browsers treat `.xhtml` names as pages regardless of the content type, so such a name is cut at its first dot. */
export function shownName(name: string): string {
  return /\.xhtml$/i.test(name) ? name.slice(0, name.indexOf('.')) : name;
}

/** Returns a small blob as a buffer, a large one as a stream. */
export async function bytesOf(file: FoundFile, blob: string, call: ProjectCall): Promise<Readable | Buffer> {
  if (file.size <= SHARED_READ_BYTES) {
    const bytes = await file.objects.blob(blob);
    if (bytes) return bytes;
  }
  const opened = await file.objects.blobStream(blob, call.signal);
  if (!opened) throw new NotFound('File');
  return opened.stream;
}

/** Opens the LFS object of a pointer file; undefined for other files. */
export async function largeFile(
  services: Services,
  { subject }: ProjectCall,
  file: FoundFile,
  head: boolean,
): Promise<OpenedFile | undefined> {
  if (file.blob === null || !canBeLfsPointer(file.size) || settingsOf(subject.project).lfs_enabled === false) {
    return undefined;
  }
  const pointer = parseLfsPointer((await file.objects.blob(file.blob)) ?? Buffer.alloc(0));
  if (!pointer) return undefined;
  const object = await lfsObject(services, subject.project.id, pointer.oid);
  if (!object) throw new NotFound();
  if (head) object.stream.destroy();
  const content = head ? Readable.from([]) : object.stream;
  const filename = file.path.slice(file.path.lastIndexOf('/') + 1);
  const type = 'application/octet-stream';
  return { content, size: object.size, filename, type, attachment: true };
}
