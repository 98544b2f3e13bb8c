import { fstatSync, writeSync } from 'node:fs';
import { type DestinationStream, destination } from 'pino';

/** Maximum number of characters buffered for a slow reader; further lines are dropped and counted. */
const maxWaiting = 1024 * 1024;
const chunk = 32_768;
/** Maximum delay of a line, in milliseconds. */
const maxDelayMs = 100;

/**
 * A stream to standard error that never blocks on its reader. One write carries many lines; what is left when the
 * process exits is written then, as far as possible without blocking.
 */
export function standardError(): DestinationStream {
  const kind = fstatSync(2);
  // Files are written by threads. On a pipe that is not read they would hang, and with them the exit of the process.
  if (!kind.isFIFO() && !kind.isSocket()) {
    return destination({ dest: 2, sync: false, minLength: chunk, maxWrite: 2 * chunk, periodicFlush: maxDelayMs });
  }
  return new PipedLines(process.stderr, (text) => void writeSync(2, text));
}

/** Buffers lines for a reader that may be slow or absent. */
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
    setInterval(() => this.#flush(), maxDelayMs).unref();
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
      this.#lines += `${JSON.stringify({ level: 'warn', time, dropped: this.#dropped, msg: 'lines were dropped because the log was not read' })}\n`;
      this.#dropped = 0;
    }
    if (this.#lines === '') return;
    this.#to.write(this.#lines);
    this.#lines = '';
  }

  #finish(): void {
    // Data still in the stream comes first, and if there is any, the reader does not read.
    if (this.#lines === '' || this.#to.writableLength > 0) return;
    try {
      this.#writeNow(this.#lines);
    } catch {
      // The reader is gone, and there is no one left to notify.
    }
  }
}
