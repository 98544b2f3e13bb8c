import { LRUCache } from 'lru-cache';

/** So many deliveries of one owner run at once, and so many to slow receivers, whoever owns the webhooks. */
const atOnce = 2;
const slowFrom = 3000;

const slowOnes = 'slow';

/**
 * Who may deliver now: whose receivers hang holds up nobody else's. A receiver that let us wait gets its own few turns
 * from then on, so that neither the other webhooks of its owner nor those of many owners wait behind it. What is
 * remembered is a moment of this server, and is wrong only for as long as the next delivery takes.
 */
export class Turns {
  readonly #busy = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>({ max: 10_000, ttl: 10 * 60_000 });

  /** A turn, to be given back; undefined while others have theirs. */
  take(owner: string, receiver: string): (() => void) | undefined {
    const line = this.#slow.has(receiver) ? slowOnes : `owner ${owner}`;
    const running = this.#busy.get(line) ?? 0;
    if (running >= atOnce) return undefined;
    this.#busy.set(line, running + 1);
    return () => {
      const left = (this.#busy.get(line) ?? 1) - 1;
      if (left > 0) this.#busy.set(line, left);
      else this.#busy.delete(line);
    };
  }

  /** How long a receiver took. */
  note(receiver: string, durationMs: number): void {
    if (durationMs >= slowFrom) this.#slow.set(receiver, true);
    else this.#slow.delete(receiver);
  }
}

/** The host and port of an address, as it is written. */
export const receiverOf = (url: string): string => url.split('/')[2] ?? '';
