import { LRUCache } from 'lru-cache';

/** Maximum number of concurrent deliveries per owner, and to all slow receivers together. */
const atOnce = 2;
const slowFrom = 3000;

const slowOnes = 'slow';

/**
 * Limits concurrent deliveries so that unresponsive receivers delay only their owner. A receiver that responded slowly
 * is moved to a separate shared limit, so that it delays neither its owner's other webhooks nor those of other owners.
 * The state is local to this server and is corrected by the next delivery.
 */
export class DeliverySlots {
  readonly #busy = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>({ max: 10_000, ttl: 10 * 60_000 });

  /** Returns a function that releases the slot, or undefined if none is free. */
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

  /** Records how long a receiver took to respond. */
  note(receiver: string, durationMs: number): void {
    if (durationMs >= slowFrom) this.#slow.set(receiver, true);
    else this.#slow.delete(receiver);
  }
}

/** Returns the host and port of a URL. */
export const receiverOf = (url: string): string => url.split('/')[2] ?? '';
