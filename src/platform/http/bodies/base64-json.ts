import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';

/** Encodes a stream as base64 without line breaks, between a head and a tail. */
class Base64Between extends Transform {
  readonly #tail: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(head: string, tail: string) {
    super();
    this.#tail = tail;
    this.push(head);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    // Three bytes make four characters; the rest waits for the next chunk.
    const whole = bytes.length - (bytes.length % 3);
    this.#rest = bytes.subarray(whole);
    done(null, bytes.toString('base64', 0, whole));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#rest.toString('base64') + this.#tail);
  }
}

/** JSON that is generated while it is sent. */
export interface StreamedObject {
  readonly json: Readable;
  readonly length: number;
}

/** An object with bytes of any size as base64 in its field `content`, between other fields. */
export function objectWithContent(
  before: object,
  content: { readonly stream: Readable; readonly size: number },
  after: object = {},
): StreamedObject {
  const head = `${JSON.stringify(before).slice(0, -1)},"content":"`;
  const rest = JSON.stringify(after).slice(1);
  const tail = rest === '}' ? '"}' : `",${rest}`;
  const length = Buffer.byteLength(head) + 4 * Math.ceil(content.size / 3) + Buffer.byteLength(tail);
  // If one of the two fails, so does the other; the reader learns of it from the one it has.
  return { json: pipeline(content.stream, new Base64Between(head, tail), () => {}), length };
}
