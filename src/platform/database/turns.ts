import { setImmediate } from 'node:timers/promises';

const longestRun = 5;

/** Lets one through at a time, in the order they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #runSince = 0;

  async take<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    if (this.#waiting++ === 0) this.#runSince = performance.now();
    try {
      await before;
      await this.#breathe();
      return await work();
    } finally {
      this.#waiting--;
      resolve();
    }
  }

  /** Resolves when those who came before have had their turn. */
  idle(): Promise<void> {
    return this.#last;
  }

  /** Turns that never wait for I/O would follow each other without letting any other request run. */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#runSince < longestRun) return;
    await setImmediate();
    this.#runSince = performance.now();
  }
}
