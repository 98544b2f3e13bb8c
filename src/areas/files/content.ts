import { Readable, Transform, type TransformCallback } from 'node:stream';
import { SHARED_READ_BYTES } from '../../platform/git/objects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Asker } from '../repository/service.ts';
import type { FileMetadata, FoundFile } from './find.ts';
import type { FileEntity } from './schema.ts';

/** Cuts a stream into base64 without line breaks. */
class Base64 extends Transform {
  #rest: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    // Three bytes make four letters: what is left over waits for the next chunk.
    const whole = bytes.length - (bytes.length % 3);
    this.#rest = bytes.subarray(whole);
    done(null, bytes.toString('base64', 0, whole));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#rest.toString('base64'));
  }
}

/** A file with its content: small ones as an entity, large ones as the text of one, made while it is sent. */
export async function withContent(
  file: FoundFile,
  metadata: FileMetadata,
  asker: Asker,
): Promise<FileEntity | { readonly json: Readable; readonly length: number }> {
  if (file.blob === null) return { ...metadata, content: '' };
  if (file.size <= SHARED_READ_BYTES) {
    const bytes = await file.objects.blob(file.blob);
    if (!bytes) throw new NotFound('File');
    return { ...metadata, content: bytes.toString('base64') };
  }
  const opened = await file.objects.blobStream(file.blob, asker.signal);
  if (!opened) throw new NotFound('File');
  const head = `${JSON.stringify(metadata).slice(0, -1)},"content":"`;
  const tail = '"}';
  const length = Buffer.byteLength(head) + 4 * Math.ceil(file.size / 3) + tail.length;
  return { json: Readable.from(jsonText(head, opened.stream, tail), { objectMode: false }), length };
}

async function* jsonText(head: string, content: Readable, tail: string): AsyncGenerator<Buffer | string> {
  yield head;
  const encoded = new Base64();
  content.once('error', (error) => encoded.destroy(error));
  for await (const chunk of content.pipe(encoded)) yield chunk as Buffer;
  yield tail;
}
