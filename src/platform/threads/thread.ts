import { Worker } from 'node:worker_threads';
import { Busy, Limiter } from '../concurrency.ts';

/** How a thread is used; times are in milliseconds. */
interface ThreadOptions {
  /** How long one piece of work may take, from when the thread has loaded what it needs. */
  readonly patience: number;
  /** How many pieces may wait for their turn. */
  readonly waiting: number;
}

/**
 * Does work in a thread of its own, one piece after the other: in the server's it would hold up everybody. What takes too
 * long is given up and its thread ended; the next piece gets a new one. The module of the thread calls `serveThread`.
 */
export class Thread<Task, Answer> {
  readonly #module: URL;
  readonly #patience: number;
  readonly #turns: Limiter;
  #worker: Worker | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  /** Whoever waits for what the thread does now. */
  #asker: ((answer: Answer | undefined) => void) | undefined;

  constructor(module: URL, { patience, waiting }: ThreadOptions) {
    this.#module = module;
    this.#patience = patience;
    this.#turns = new Limiter({ running: 1, waiting });
  }

  /** Undefined where it takes too long, fails, or too many others wait. */
  async ask(task: Task): Promise<Answer | undefined> {
    try {
      return await this.#turns.run(() => this.#ask(task));
    } catch (error) {
      if (error instanceof Busy) return undefined;
      throw error;
    }
  }

  /** Ends the thread; whoever asks later gets a new one. */
  end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#asker?.(undefined);
    void worker?.terminate();
  }

  async #ask(task: Task): Promise<Answer | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // Loading is no fault of the task: its time begins when the thread is ready for it.
    await this.#ready;
    if (this.#worker !== worker) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), this.#patience);
      this.#asker = (answer) => {
        clearTimeout(timer);
        this.#asker = undefined;
        resolve(answer);
      };
      worker.postMessage(task);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#module);
    this.#ready = new Promise((resolve) => {
      worker.once('message', resolve);
      worker.once('exit', resolve);
    });
    worker.on('message', ({ answer }: { answer?: Answer }) => {
      if (this.#worker === worker) this.#asker?.(answer);
    });
    for (const event of ['error', 'exit']) {
      worker.on(event, () => {
        if (this.#worker === worker) this.end();
      });
    }
    // After the listeners, which would hold the process again.
    worker.unref();
    return worker;
  }
}
