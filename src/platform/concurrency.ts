import { setImmediate } from 'node:timers/promises';

/** Too many callers are already waiting; reported as 503, so that the client retries. */
export class Busy extends Error {
  override readonly name: string = 'Busy';
}

/** Maximum number of running and of waiting callers. */
export interface Limits {
  readonly running: number;
  readonly waiting: number;
}

/** Counters of a limiter, read by the metrics. */
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

const tooMany = () => new Busy('too many callers are already waiting');

/** A counting semaphore with a bounded first-in, first-out queue. New callers cannot overtake waiting ones. */
export class Limiter {
  readonly counters: LimiterCounters = { running: 0, waiting: 0, started: 0, failed: 0, timedOut: 0, refused: 0 };
  #limits: Limits;
  readonly #refusal: () => Error;
  readonly #queue = new Set<Waiter>();

  constructor(limits: Limits, refusal: () => Error = tooMany) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** Changes the limits; running work is not affected. */
  resize(limits: Limits): void {
    this.#limits = limits;
    this.#next();
  }

  /** Waits for a slot; the returned function releases it and may be called more than once. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.counters.running < this.#limits.running) return this.#grant();
    if (this.#queue.size >= this.#limits.waiting) {
      this.counters.refused++;
      throw this.#refusal();
    }
    return this.#wait(signal);
  }

  /** Runs the work once a slot is free. */
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

/** Limits of a lock: one caller at a time, all others wait. */
export const exclusive: Limits = { running: 1, waiting: Number.POSITIVE_INFINITY };

/** One limiter per key, which exists while it is in use. */
export class KeyedLimiter {
  readonly #entries = new Map<string, { readonly limiter: Limiter; users: number }>();
  readonly #refusal: () => Error;

  constructor(refusal: () => Error = tooMany) {
    this.#refusal = refusal;
  }

  /** Waits for a slot of the key; the returned function releases it and may be called more than once. */
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

  /** Runs the work once a slot of the key is free. */
  async run<T>(key: string, limits: Limits, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(key, limits, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** Maximum time that synchronous work may hold the event loop before it yields, in milliseconds. */
const maxRunMs = 5;

/** Yields to the event loop between pieces of long synchronous work. */
export class Pace {
  #since = performance.now();

  async turn(): Promise<void> {
    if (performance.now() - this.#since < maxRunMs) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

/** Runs callers one at a time, in order of arrival. */
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
      await this.#yieldIfLong();
      return await work();
    } finally {
      this.#waiting--;
      resolve();
    }
  }

  /** Resolves when all earlier callers are done. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #yieldIfLong(): Promise<void> {
    if (performance.now() - this.#runSince < maxRunMs) return;
    await setImmediate();
    this.#runSince = performance.now();
  }
}
