import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Lifetime of a connection and its prepared plans, in seconds. */
export const connectionLifetime = 3600;

/**
 * Maximum total length of the statements that have a plan on each connection. A plan takes about a hundred times the
 * memory of its text on the server: at most 20 MB per connection, whatever combinations of filters callers try.
 */
const maxTextLength = 200_000;

/** Number of executions after which a statement is prepared. */
const minExecutions = 3;

/**
 * Decides which list statements PostgreSQL prepares. Planning the list of a member takes ten to fifty times as long as
 * reading a page of it, since each way to obtain a role is a subquery. PostgreSQL plans a named statement a few times
 * per connection and then keeps a generic plan if that is as good as a custom one.
 */
export class PostgresPlans {
  readonly #executions = new LRUCache<string, number>({ max: 1000 });
  readonly #names = new Map<string, string>();
  #length = 0;
  #expiresAt = 0;

  /** The name under which a statement is prepared, if it is. */
  nameOf(text: string, now = Date.now()): string | undefined {
    if (now >= this.#expiresAt) this.#reset(now + connectionLifetime * 1000);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const count = (this.#executions.get(text) ?? 0) + 1;
    if (count < minExecutions || this.#length + text.length > maxTextLength) {
      this.#executions.set(text, count);
      return undefined;
    }
    this.#executions.delete(text);
    this.#length += text.length;
    const name = statementName(text);
    this.#names.set(text, name);
    return name;
  }

  /** Starts over as old connections end, so that statements no longer used make room. */
  #reset(expiresAt: number): void {
    this.#names.clear();
    this.#length = 0;
    this.#expiresAt = expiresAt;
  }
}

/** The prepared statement name of a text; the same on every connection. */
export function statementName(text: string): string {
  return `hearth_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
