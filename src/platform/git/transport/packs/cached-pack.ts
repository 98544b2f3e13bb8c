import type { FileHandle } from 'node:fs/promises';
import type { GitProcess } from '../../process/command.ts';

const READ_BYTES = 256 * 1024;
const PROGRESS_BYTES = 64 * 1024;

/** A pack on disk, read by any number of clients at their own pace while it is still being written. */
export class CachedPack {
  /** Number of bytes written. */
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
    // The failure is reported by `fill`.
    file.catch(() => {});
  }

  /** Writes the output of git to its end. Never rejects: failures are reported to the readers. */
  async fill(starting: Promise<GitProcess>): Promise<void> {
    let git: GitProcess | undefined;
    try {
      git = await starting;
      const chunks = (git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      // Started before the file is open, because output unread when the process exits is dropped.
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

  /** Streams the pack from its start until it is complete or `signal` is aborted; throws when creating it failed. */
  async *read(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      let at = 0;
      while (!signal.aborted) {
        const changed = this.#changed.promise;
        if (at < this.size) {
          const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, this.size - at));
          const { bytesRead } = await (await this.#opening).read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) throw new Error('cached pack is truncated');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        } else if (this.state === 'whole') return;
        else if (this.state === 'failed') throw this.#failure;
        else await changed;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Reports git's progress messages, past and future, to the listener; returns a function to unsubscribe. */
  follow(listener: (chunk: Buffer) => void): () => void {
    for (const chunk of this.#progress) listener(chunk);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records a progress message of git. */
  addProgress(chunk: Buffer): void {
    this.#progressBytes += chunk.length;
    if (this.#progressBytes <= PROGRESS_BYTES) this.#progress.push(chunk);
    for (const listener of this.#listeners) listener(chunk);
  }

  /** Frees the disk space. The pack must no longer be read or written. */
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
