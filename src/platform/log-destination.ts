import { fstatSync, writeSync } from 'node:fs';
import { type DestinationStream, destination } from 'pino';

/** So much waits for a reader that does not read; what comes then is dropped, and counted. */
const maxWaiting = 1024 * 1024;
const chunk = 32_768;
/** No line waits longer than this, in milliseconds. */
const longestWait = 100;

/**
 * Standard error, written to without ever waiting for whoever reads it: one write carries many lines, and what is left at
 * the end of the process is written then, as far as it goes without waiting.
 */
export function standardError(): DestinationStream {
  const kind = fstatSync(2);
  // Threads write to a file. To a pipe that nobody reads they would hang, and the end of the process with them.
  if (!kind.isFIFO() && !kind.isSocket()) {
    return destination({ dest: 2, sync: false, minLength: chunk, maxWrite: 2 * chunk, periodicFlush: longestWait });
  }
  return new PipedLines(process.stderr, (text) => void writeSync(2, text));
}

/** Lines on their way to a reader that may be slow, or not there at all. */
export class PipedLines implements DestinationStream {
  readonly #to: NodeJS.WritableStream & { readonly writableLength: number };
  readonly #writeNow: (text: string) => void;
  #lines = '';
  #dropped = 0;

  constructor(
    to: NodeJS.WritableStream & { readonly writableLength: number },
    writeNow: (text: string) => void,
    process: Pick<NodeJS.Process, 'on'> = globalThis.process,
  ) {
    this.#to = to;
    this.#writeNow = writeNow;
    to.on('error', () => undefined);
    setInterval(() => this.#flush(), longestWait).unref();
    process.on('exit', () => this.#finish());
  }

  write(line: string): void {
    if (this.#lines.length + this.#to.writableLength > maxWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= chunk) this.#flush();
  }

  #flush(): void {
    if (this.#dropped > 0 && this.#to.writableLength < maxWaiting / 2) {
      const time = new Date().toISOString();
      this.#lines += `${JSON.stringify({ level: 'warn', time, dropped: this.#dropped, msg: 'nobody read the log' })}\n`;
      this.#dropped = 0;
    }
    if (this.#lines === '') return;
    this.#to.write(this.#lines);
    this.#lines = '';
  }

  #finish(): void {
    // What the stream still holds comes before; where it holds anything, nobody reads.
    if (this.#lines === '' || this.#to.writableLength > 0) return;
    try {
      this.#writeNow(this.#lines);
    } catch {
      // Nobody reads it, and nobody is left to tell.
    }
  }
}
