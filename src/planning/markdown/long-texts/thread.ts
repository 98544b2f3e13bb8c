import { Worker } from 'node:worker_threads';
import { Busy, Limiter } from '../../../platform/concurrency.ts';
import type { Answers, Question } from './work.ts';

/** So long one text may take: a megabyte of prose takes a second. */
const patience = 10_000;

/**
 * Reads long texts in a thread of its own, one after the other: in the server's they would hold up everybody. A text that
 * takes too long is given up, and its thread ended.
 */
class LongTexts {
  #worker: Worker | undefined;
  /** Whoever waits for what the thread does now. */
  #waiting: ((answered: unknown) => void) | undefined;
  readonly #turns = new Limiter({ running: 1, waiting: 64 });

  /** Undefined where the text takes too long, or too many others wait. */
  async ask<K extends Question['kind']>(question: Question & { readonly kind: K }): Promise<Answers[K] | undefined> {
    try {
      return await this.#turns.run(() => this.#ask<K>(question));
    } catch (error) {
      if (error instanceof Busy) return undefined;
      throw error;
    }
  }

  #ask<K extends Question['kind']>(question: Question): Promise<Answers[K] | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(), patience);
      this.#waiting = (answered) => {
        clearTimeout(timer);
        this.#waiting = undefined;
        resolve(answered as Answers[K] | undefined);
      };
      worker.postMessage(question);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    worker.on('message', (answered) => {
      if (this.#worker === worker) this.#waiting?.(answered);
    });
    worker.on('error', () => {
      if (this.#worker === worker) this.#end();
    });
    // After the listeners, which would hold the process again.
    worker.unref();
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#waiting?.(undefined);
    void worker?.terminate();
  }
}

/** One for the process. */
export const longTexts = new LongTexts();
