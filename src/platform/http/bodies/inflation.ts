import { Transform } from 'node:stream';
import { TooLarge } from '../errors.ts';

/** A body may grow to this many times its size. Text of this world shrinks to a tenth, now and then to a fiftieth. */
const ratio = 100;
/** What is small is never a bomb. */
const harmless = 1024 * 1024;

/** Is this more than anybody honest packs into so little? */
export function isBomb(inflated: number, received: number): boolean {
  return inflated > harmless && inflated > ratio * received;
}

/** Breaks off what unpacks to more than `ratio` times of what came in by then. */
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
