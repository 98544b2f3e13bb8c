import { GitBusyError } from './errors.ts';

/** Figures of one lane, read by the metrics. */
export interface LaneCounters {
  running: number;
  waiting: number;
  started: number;
  failed: number;
  timedOut: number;
  refused: number;
}

/** How many git processes of one lane may run, and how many callers may wait for a turn. */
export interface LaneLimits {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly start: () => void;
}

/** A counting semaphore with a bounded queue: first come, first served. */
export class ProcessLimit {
  readonly counters: LaneCounters = { running: 0, waiting: 0, started: 0, failed: 0, timedOut: 0, refused: 0 };
  #limits: LaneLimits;
  readonly #queue = new Set<Waiter>();

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Changes the limits; those already running are left alone. */
  resize(limits: LaneLimits): void {
    this.#limits = limits;
    this.#next();
  }

  /** Waits for a turn; the returned function gives it back and may be called more than once. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.counters.running < this.#limits.running) return this.#grant();
    if (this.#queue.size >= this.#limits.waiting) {
      this.counters.refused++;
      throw new GitBusyError('too many git processes are waiting');
    }
    return this.#wait(signal);
  }

  #wait(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', abandon);
          resolve(this.#grant());
        },
      };
      const abandon = () => {
        this.#queue.delete(waiter);
        this.counters.waiting = this.#queue.size;
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.#queue.add(waiter);
      this.counters.waiting = this.#queue.size;
    });
  }

  #grant(): () => void {
    this.counters.running++;
    this.counters.started++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.counters.running--;
      this.#next();
    };
  }

  #next(): void {
    while (this.counters.running < this.#limits.running) {
      const [waiter] = this.#queue;
      if (!waiter) return;
      this.#queue.delete(waiter);
      this.counters.waiting = this.#queue.size;
      waiter.start();
    }
  }
}
