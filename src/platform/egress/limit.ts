import { pipeline, type Readable, Transform } from 'node:stream';

/** The response is larger than the caller accepts. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/** Limits a stream, failing with `ResponseTooLarge` after `maxBytes`. Destroying it closes the connection. */
export function limitResponseSize(body: Readable, maxBytes: number): Readable {
  let left = maxBytes;
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new ResponseTooLarge(`The response has more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  // Errors reach the reader through `limit` itself.
  pipeline(body, limit, () => undefined);
  return limit;
}
