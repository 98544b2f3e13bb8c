import type { Services } from '../../access/services.ts';
import { Limiter } from '../../platform/concurrency.ts';
import { Overloaded } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';
import { jobsWanted } from '../runners/public.ts';

/** So many runners of one process wait to be asked what there is for them. */
const maxWaiting = 20_000;
/** So many look for a job at the same time. */
const maxLooking = 3;

/** What somebody finds who looks while no job waits for anybody: nobody needs to look again before there is news. */
export const nothingWaits = Symbol('nothing waits');

/**
 * The runners that wait for a job in this process. They are woken a few at a time, so that of a thousand runners that hear
 * of one job not all go for it at once; once it is gone, the rest are spared the look.
 */
export class Waiting {
  readonly #turns = new Limiter({ running: maxLooking, waiting: maxWaiting }, () => new Overloaded());
  /** The jobs that are being given out right now: others look at the next. */
  readonly givenOut = new Set<number>();
  readonly #wakers = new Set<() => void>();
  readonly #off: () => void;
  #closed = false;
  #news = 0;
  #emptySince = -1;

  constructor({ signals }: Services) {
    this.#off = signals.on(jobsWanted, () => {
      this.#news++;
      this.#wakeAll();
    });
  }

  /** Looks for something, at first and whenever there is news, until it is found, the time is up, or nobody waits. */
  async until<T>(look: Look<T>, holdMs: number, signal: AbortSignal): Promise<T | undefined> {
    const end = Date.now() + holdMs;
    for (let woken = false; ; woken = true) {
      // Listens before it looks: what comes in between is not missed.
      const news = this.#listen(signal);
      const found = signal.aborted ? undefined : await this.#turns.run(() => this.#look(look, woken));
      const left = end - Date.now();
      if (found !== undefined || left <= 0 || signal.aborted || this.#closed) {
        news.stop();
        return found;
      }
      await news.within(left);
    }
  }

  async #look<T>(look: Look<T>, woken: boolean): Promise<T | undefined> {
    const news = this.#news;
    if (woken && this.#emptySince === news) return undefined;
    const found = await look();
    if (found !== nothingWaits) return found;
    this.#emptySince = news;
    return undefined;
  }

  close(): void {
    this.#closed = true;
    this.#off();
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

type Look<T> = () => Promise<T | typeof nothingWaits | undefined>;

/** Where the runners of a server wait: its routes do so in it, and the server ends it. */
export const waitingOf = perServer((services: Services) => new Waiting(services));
