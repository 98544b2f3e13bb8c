import type { Services } from '../../access/services.ts';
import { Limiter } from '../../platform/concurrency.ts';
import { Overloaded } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';
import { jobsAvailableSignal } from '../runners/public.ts';

/** Maximum number of runners of one process queued for a lookup. */
const maxWaiting = 20_000;
/** Maximum number of concurrent lookups. */
const maxLookups = 3;

/** Result of a lookup that found the queue empty: further lookups are pointless until the next signal. */
export const queueEmpty = Symbol('queue empty');

/**
 * Long-polling runners of this process. They are woken a few at a time, so that a single job does not cause a thousand
 * lookups; once it is assigned, the rest are skipped.
 */
export class Waiting {
  readonly #turns = new Limiter({ running: maxLookups, waiting: maxWaiting }, () => new Overloaded());
  /** Jobs being assigned right now; other lookups skip them. */
  readonly assigning = new Set<number>();
  readonly #wakers = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #closed = false;
  #signalCount = 0;
  #emptySince = -1;

  constructor({ signals }: Services) {
    this.#unsubscribe = signals.on(jobsAvailableSignal, () => {
      this.#signalCount++;
      this.#wakeAll();
    });
  }

  /**
   * Looks for a job immediately and after each signal, until one is found, the hold time ends or the runner
   * disconnects.
   */
  async until<T>(lookup: Lookup<T>, holdMs: number, signal: AbortSignal): Promise<T | undefined> {
    const end = Date.now() + holdMs;
    for (let woken = false; ; woken = true) {
      // Subscribe before the lookup, so that no signal in between is missed.
      const news = this.#listen(signal);
      const found = signal.aborted ? undefined : await this.#turns.run(() => this.#lookup(lookup, woken));
      const remaining = end - Date.now();
      if (found !== undefined || remaining <= 0 || signal.aborted || this.#closed) {
        news.stop();
        return found;
      }
      await news.within(remaining);
    }
  }

  async #lookup<T>(lookup: Lookup<T>, woken: boolean): Promise<T | undefined> {
    const news = this.#signalCount;
    if (woken && this.#emptySince === news) return undefined;
    const found = await lookup();
    if (found !== queueEmpty) return found;
    this.#emptySince = news;
    return undefined;
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
  }

  #listen(signal: AbortSignal): { within(ms: number): Promise<void>; stop(): void } {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stop = () => {
      this.#wakers.delete(wake);
      signal.removeEventListener('abort', wake);
    };
    this.#wakers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    return {
      stop,
      async within(ms) {
        const timer = setTimeout(wake, ms);
        await woken;
        clearTimeout(timer);
        stop();
      },
    };
  }
}

type Lookup<T> = () => Promise<T | typeof queueEmpty | undefined>;

/** The waiting runners of a server, shared by its routes and closed with it. */
export const runnerWaitlist = perServer((services: Services) => new Waiting(services));
