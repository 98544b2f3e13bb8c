import type { FileHandle } from 'node:fs/promises';
import type { GitProcess } from '../../process/command.ts';

const READ_BYTES = 256 * 1024;
const PROGRESS_BYTES = 64 * 1024;

/** A pack on disk: read by any number of clients, each at its own pace, from the moment that it begins to be made. */
export class KeptPack {
  /** Bytes that were written. */
  size = 0;
  state: 'growing' | 'whole' | 'failed' = 'growing';
  readers = 0;
  readonly #opening: Promise<FileHandle>;
  readonly #progress: Buffer[] = [];
  #progressBytes = 0;
  readonly #listeners = new Set<(chunk: Buffer) => void>();
  #changed = Promise.withResolvers<void>();
  #failure: unknown;

  constructor(file: Promise<FileHandle>) {
    this.#opening = file;
    // Who fills it learns of the failure.
    file.catch(() => {});
  }

  /** Writes what git makes, to its end; never rejects: readers learn of a failure. */
  async fill(starting: Promise<GitProcess>): Promise<void> {
    let git: GitProcess | undefined;
    try {
      git = await starting;
      const chunks = (git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      // Before the file is open: what nobody has begun to read when a process ends is dropped.
      const first = chunks.next();
      const [file, begun] = await Promise.all([this.#opening, first]);
      for (let step = begun; !step.done; step = await chunks.next()) {
        await this.#write(file, step.value);
        this.#wake();
      }
      await git.done;
      this.state = 'whole';
    } catch (error) {
      git?.kill();
      this.#failure = error;
      this.state = 'failed';
    }
    this.#wake();
  }

  /** The pack from its beginning, until it is whole or `left` is aborted; throws when the rest will never come. */
  async *read(left: AbortSignal): AsyncGenerator<Buffer, void> {
    const leave = () => this.#wake();
    left.addEventListener('abort', leave, { once: true });
    try {
      let at = 0;
      while (!left.aborted) {
        const changed = this.#changed.promise;
        if (at < this.size) {
          const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, this.size - at));
          const { bytesRead } = await (await this.#opening).read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) throw new Error('a kept pack is shorter than it was');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        } else if (this.state === 'whole') return;
        else if (this.state === 'failed') throw this.#failure;
        else await changed;
      }
    } finally {
      left.removeEventListener('abort', leave);
    }
  }

  /** Tells what git said of its progress so far, then what it says from now on; returns how to stop it. */
  follow(listener: (chunk: Buffer) => void): () => void {
    for (const chunk of this.#progress) listener(chunk);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes what git says of its progress. */
  say(chunk: Buffer): void {
    this.#progressBytes += chunk.length;
    if (this.#progressBytes <= PROGRESS_BYTES) this.#progress.push(chunk);
    for (const listener of this.#listeners) listener(chunk);
  }

  /** Frees the disk. Nobody may read or fill it any more. */
  async close(): Promise<void> {
    const file = await this.#opening.catch(() => undefined);
    await file?.close();
  }

  async #write(file: FileHandle, chunk: Buffer): Promise<void> {
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, done, chunk.length - done, this.size);
      done += bytesWritten;
      this.size += bytesWritten;
    }
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
