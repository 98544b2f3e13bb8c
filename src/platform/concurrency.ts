import { setImmediate } from 'node:timers/promises';

/** Too many callers wait already; worth a 503 and another try. */
export class Busy extends Error {
  override readonly name: string = 'Busy';
}

/** How much work may run at once, and how many callers may wait for it. */
export interface Limits {
  readonly running: number;
  readonly waiting: number;
}

/** Figures of a limiter, read by the metrics. */
export interface LimiterCounters {
  running: number;
  waiting: number;
  started: number;
  failed: number;
  timedOut: number;
  refused: number;
}

interface Waiter {
  readonly start: () => void;
}

const tooMany = () => new Busy('too much of this work is waiting already');

/** A counting semaphore with a bounded queue: first come, first served. A newcomer cannot slip in before who waits. */
export class Limiter {
  readonly counters: LimiterCounters = { running: 0, waiting: 0, started: 0, failed: 0, timedOut: 0, refused: 0 };
  #limits: Limits;
  readonly #refusal: () => Error;
  readonly #queue = new Set<Waiter>();

  constructor(limits: Limits, refusal: () => Error = tooMany) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** Changes the limits; those already running are left alone. */
  resize(limits: Limits): void {
    this.#limits = limits;
    this.#next();
  }

  /** Waits for a place; the returned function releases it and may be called more than once. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.counters.running < this.#limits.running) return this.#grant();
    if (this.#queue.size >= this.#limits.waiting) {
      this.counters.refused++;
      throw this.#refusal();
    }
    return this.#wait(signal);
  }

  /** Runs the work once it has a place. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
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

/** One at a time, and everybody else waits: the limits of a lock. */
export const exclusive: Limits = { running: 1, waiting: Number.POSITIVE_INFINITY };

/** A limiter for each key, for as long as somebody uses it. */
export class KeyedLimiter {
  readonly #entries = new Map<string, { readonly limiter: Limiter; users: number }>();
  readonly #refusal: () => Error;

  constructor(refusal: () => Error = tooMany) {
    this.#refusal = refusal;
  }

  /** Waits for a place under the key; the returned function releases it and may be called more than once. */
  async acquire(key: string, limits: Limits, signal?: AbortSignal): Promise<() => void> {
    const entry = this.#entries.get(key) ?? { limiter: new Limiter(limits, this.#refusal), users: 0 };
    this.#entries.set(key, entry);
    entry.users++;
    const leave = () => {
      if (--entry.users === 0) this.#entries.delete(key);
    };
    try {
      const release = await entry.limiter.acquire(signal);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Runs the work once it has a place under the key. */
  async run<T>(key: string, limits: Limits, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(key, limits, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** Work that never waits for I/O may follow work for so long before others get to run, in milliseconds. */
const longestRun = 5;

/** Lets others run between the pieces of long work that never waits for I/O. */
export class Pace {
  #since = performance.now();

  async turn(): Promise<void> {
    if (performance.now() - this.#since < longestRun) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

/** Lets one through at a time, in the order they came. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #runSince = 0;

  async run<T>(work: () => Promise<T>): Promise<T> {
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

  /** Resolves when those who came before are done. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#runSince < longestRun) return;
    await setImmediate();
    this.#runSince = performance.now();
  }
}
