import { Readable, Transform, type TransformCallback } from 'node:stream';

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

/** The text of an object that is made while it is sent. */
export interface StreamedObject {
  readonly json: Readable;
  readonly length: number;
}

/** An object with bytes of any size in base64 as its field `content`, between other fields. */
export function objectWithContent(
  before: object,
  content: { readonly stream: Readable; readonly size: number },
  after: object = {},
): StreamedObject {
  const head = `${JSON.stringify(before).slice(0, -1)},"content":"`;
  const rest = JSON.stringify(after).slice(1);
  const tail = rest === '}' ? '"}' : `",${rest}`;
  const length = Buffer.byteLength(head) + 4 * Math.ceil(content.size / 3) + Buffer.byteLength(tail);
  return { json: Readable.from(jsonText(head, content.stream, tail), { objectMode: false }), length };
}

async function* jsonText(head: string, content: Readable, tail: string): AsyncGenerator<Buffer | string> {
  yield head;
  const encoded = new Base64();
  content.once('error', (error) => encoded.destroy(error));
  for await (const chunk of content.pipe(encoded)) yield chunk as Buffer;
  yield tail;
}
