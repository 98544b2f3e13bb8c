import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { AccessToken, Session, User } from '../tables.ts';

/** Parses the stored list of addresses from which a token was used. */
export const readAddresses = storedJson(Type.Array(Type.String()));

const minute = 60_000;
const maxAddresses = 5;

/**
 * Records when tokens were last used and users last active. A write in every request would delay each response by a
 * disk flush, so uses are collected and written together, at most once a minute.
 */
export class LastUse {
  readonly #db: Database;
  readonly #uses = new Map<number, { at: number; ip: string; ips: string }>();
  readonly #active = new Map<number, number>();
  readonly #sessions = new Map<number, { at: number; until: number }>();
  readonly #timer: NodeJS.Timeout;
  readonly #onError: (error: unknown) => void;
  readonly #every: number;

  constructor(db: Database, onError: (error: unknown) => void, every = minute) {
    this.#db = db;
    this.#onError = onError;
    this.#every = every;
    this.#timer = setInterval(() => this.flush().catch(onError), every).unref();
  }

  record(token: AccessToken, user: User, ip: string): void {
    const at = Date.now();
    this.recordActivity(user, at);
    if (token.last_used_at === null || at - token.last_used_at >= minute) {
      const first = token.last_used_at === null && !this.#uses.has(token.id);
      this.#uses.set(token.id, { at, ip, ips: token.last_used_ips });
      // Show the first use of a new token at once: users check whether their setup works.
      if (first) this.flush().catch(this.#onError);
    }
  }

  /** Records the use of a session, which also extends it by `keptFor` milliseconds. */
  recordSession(session: Session, user: User, keptFor = 0): void {
    const at = Date.now();
    this.recordActivity(user, at);
    const until = Math.max(session.expires_at, at + keptFor);
    const ages = until - session.expires_at > keptFor / 2;
    if (at - session.last_used_at < 10 * minute && !ages) return;
    this.#sessions.set(session.id, { at, until });
    // A session that would expire before the next flush must be extended now.
    if (session.expires_at - at <= this.#every) this.flush().catch(this.#onError);
  }

  /** Records activity of a user. */
  recordActivity(user: User, at: number): void {
    if (user.last_activity_at === null || at - user.last_activity_at >= 60 * minute) this.#active.set(user.id, at);
  }

  async flush(): Promise<void> {
    if (this.#uses.size === 0 && this.#active.size === 0 && this.#sessions.size === 0) return;
    // Ordered by id, as in every other process, to avoid deadlocks.
    const uses = [...this.#uses].sort(([a], [b]) => a - b);
    const active = [...this.#active].sort(([a], [b]) => a - b);
    const sessions = [...this.#sessions].sort(([a], [b]) => a - b);
    this.#uses.clear();
    this.#sessions.clear();
    this.#active.clear();
    await this.#db.write(async (trx) => {
      for (const [id, { at, ip, ips }] of uses) {
        const set = { last_used_at: at, last_used_ips: withAddress(ips, ip) };
        await trx.updateTable('access_tokens').set(set).where('id', '=', id).execute();
      }
      for (const [id, { at, until }] of sessions) {
        const set = { last_used_at: at, expires_at: until };
        await trx.updateTable('sessions').set(set).where('id', '=', id).execute();
      }
      for (const [id, at] of active) {
        await trx.updateTable('users').set({ last_activity_at: at }).where('id', '=', id).execute();
      }
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** Adds an address to the five most recent ones, newest first. */
export function withAddress(stored: string, ip: string): string {
  const others = readAddresses(stored).filter((known) => known !== ip);
  return JSON.stringify([ip, ...others].slice(0, maxAddresses));
}
