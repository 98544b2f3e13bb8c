import { Worker } from 'node:worker_threads';
import { Busy, Limiter } from '../concurrency.ts';

/** Options of a thread; times are in milliseconds. */
interface ThreadOptions {
  /** Time limit of one task, excluding the loading of the module. */
  readonly patience: number;
  /** Maximum number of queued tasks. */
  readonly waiting: number;
}

/**
 * Runs tasks one after another in a worker thread, so that they do not block the event loop. A task that takes too long
 * is aborted by terminating the thread; the next task gets a new one. The thread's module calls `serveThread`.
 */
export class Thread<Task, Answer> {
  readonly #module: URL;
  readonly #patience: number;
  readonly #turns: Limiter;
  #worker: Worker | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  /** Resolves the current task. */
  #asker: ((answer: Answer | undefined) => void) | undefined;

  constructor(module: URL, { patience, waiting }: ThreadOptions) {
    this.#module = module;
    this.#patience = patience;
    this.#turns = new Limiter({ running: 1, waiting });
  }

  /** Runs a task; undefined if it takes too long, fails, or too many others are queued. */
  async ask(task: Task): Promise<Answer | undefined> {
    try {
      return await this.#turns.run(() => this.#ask(task));
    } catch (error) {
      if (error instanceof Busy) return undefined;
      throw error;
    }
  }

  /** Terminates the thread; the next task starts a new one. */
  end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#asker?.(undefined);
    void worker?.terminate();
  }

  async #ask(task: Task): Promise<Answer | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // Loading does not count towards the task's time limit.
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
    // After adding the listeners, which would keep the process alive again.
    worker.unref();
    return worker;
  }
}
