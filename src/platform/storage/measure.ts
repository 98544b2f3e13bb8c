import { createHash } from 'node:crypto';
import { type ExpectedFile, FileMismatch, FileTooLarge, type StoredFile } from './storage.ts';

/** Measures a stream as it passes through. */
export interface Measure {
  /** Passes the chunks through; throws as soon as there are too many, and at the end if size or hash do not match. */
  through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Size and hash of the stream, after its end. */
  result(): StoredFile;
}

/** Measures size and SHA-256 and compares them with what is expected. */
export function createMeasure({
  expectedSize,
  expectedSha256,
  maxSize = Number.POSITIVE_INFINITY,
}: ExpectedFile): Measure {
  const hash = createHash('sha256');
  let size = 0;
  let stored: StoredFile | undefined;
  const finish = (): StoredFile => {
    const sha256 = hash.digest('hex');
    if (expectedSize !== undefined && size !== expectedSize) {
      throw new FileMismatch(`${size} bytes instead of ${expectedSize}`);
    }
    if (expectedSha256 !== undefined && sha256 !== expectedSha256.toLowerCase()) {
      throw new FileMismatch(`sha-256 ${sha256} instead of ${expectedSha256}`);
    }
    return { size, sha256 };
  };
  return {
    async *through(source) {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > maxSize) throw new FileTooLarge(`more than ${maxSize} bytes`);
        if (expectedSize !== undefined && size > expectedSize)
          throw new FileMismatch(`more than ${expectedSize} bytes`);
        hash.update(chunk);
        yield chunk;
      }
      stored = finish();
    },
    result() {
      if (!stored) throw new Error('the stream has not ended yet');
      return stored;
    },
  };
}
