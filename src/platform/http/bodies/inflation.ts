import { Transform } from 'node:stream';
import { TooLarge } from '../errors.ts';

/** The maximum compression ratio of a body. Real text shrinks to a tenth, rarely to a fiftieth. */
const ratio = 100;
/** Small bodies are never bombs. */
const harmless = 1024 * 1024;

/** Is this a higher ratio than legitimate content has? */
export function isBomb(inflated: number, received: number): boolean {
  return inflated > harmless && inflated > ratio * received;
}

/** Aborts a stream that unpacks to more than `ratio` times of what was received so far. */
export function refuseBombs(received: () => number): Transform {
  let inflated = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      inflated += chunk.length;
      if (isBomb(inflated, received())) done(new TooLarge());
      else done(null, chunk);
    },
  });
}
