import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** How long a connection lives, in seconds, and the plans with it. */
export const connectionLifetime = 3600;

/**
 * How long all texts are together that have a plan on each connection. A plan takes about a hundred times as much of the
 * server's memory as its text is long: 20 MB a connection, however many combinations of filters somebody tries.
 */
const mostText = 200_000;

/** How often a text was asked for before it gets a plan. */
const often = 3;

/**
 * Which texts of lists PostgreSQL keeps the plan of. To plan the list of a member takes it ten to fifty times as long as to
 * read a page of it, since every way to a role is a query inside; of what has a name it makes a plan a few times for each
 * connection, and keeps the last where that is as good for any values.
 */
export class PostgresPlans {
  readonly #asked = new LRUCache<string, number>({ max: 1000 });
  readonly #names = new Map<string, string>();
  #length = 0;
  #until = 0;

  /** What a text is called, if its plan is kept. */
  nameOf(text: string, now = Date.now()): string | undefined {
    if (now >= this.#until) this.#forget(now + connectionLifetime * 1000);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const asked = (this.#asked.get(text) ?? 0) + 1;
    if (asked < often || this.#length + text.length > mostText) {
      this.#asked.set(text, asked);
      return undefined;
    }
    this.#asked.delete(text);
    this.#length += text.length;
    const name = statementName(text);
    this.#names.set(text, name);
    return name;
  }

  /** Those that are asked for no more make room, as connections that had them end. */
  #forget(until: number): void {
    this.#names.clear();
    this.#length = 0;
    this.#until = until;
  }
}

/** The name of a statement for PostgreSQL: the same text has the same on every connection. */
export function statementName(text: string): string {
  return `hearth_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
