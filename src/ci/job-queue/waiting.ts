import type { Services } from '../../access/services.ts';
import { Limiter } from '../../platform/concurrency.ts';
import { Overloaded } from '../../platform/http/errors.ts';
import { jobsWanted } from '../runners/public.ts';

/** So many runners of one process wait to be asked what there is for them. */
const mostWaiting = 20_000;

/**
 * The runners that wait for a job in this process. They are woken one after the other, so that of a thousand runners that
 * hear of one job not all go for it at once.
 */
export class Waiting {
  readonly #turns = new Limiter({ running: 1, waiting: mostWaiting }, () => new Overloaded());
  readonly #wakers = new Set<() => void>();
  readonly #off: () => void;
  #closed = false;

  constructor({ signals }: Services) {
    this.#off = signals.on(jobsWanted, () => this.#wakeAll());
  }

  /** Looks for something, at first and whenever there is news, until it is found, the time is up, or nobody waits. */
  async until<T>(look: () => Promise<T | undefined>, holdMs: number, signal: AbortSignal): Promise<T | undefined> {
    const end = Date.now() + holdMs;
    for (;;) {
      // Listens before it looks: what comes in between is not missed.
      const news = this.#news(signal);
      const found = signal.aborted ? undefined : await this.#turns.run(look);
      const left = end - Date.now();
      if (found !== undefined || left <= 0 || signal.aborted || this.#closed) {
        news.stop();
        return found;
      }
      await news.within(left);
    }
  }

  close(): void {
    this.#closed = true;
    this.#off();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
  }

  #news(signal: AbortSignal): { within(ms: number): Promise<void>; stop(): void } {
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

/** One for the whole process: routes wait in it, and the server ends it. */
const ofServices = new WeakMap<Services, Waiting>();

export function waitingOf(services: Services): Waiting {
  const known = ofServices.get(services);
  if (known) return known;
  const made = new Waiting(services);
  ofServices.set(services, made);
  return made;
}
