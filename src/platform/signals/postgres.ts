import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Listeners } from './listeners.ts';
import type { SignalFailure, SignalListener, Signals } from './signals.ts';

const pgChannel = 'hearth_signals';
/** PostgreSQL's limit is 8,000 bytes; a hint needs far less. */
const maxBytes = 4000;
const maxOutgoing = 1000;
const maxPauseMs = 10_000;

/**
 * Signals between the processes that share a PostgreSQL database, by LISTEN and NOTIFY on one connection that
 * reconnects.
 */
export async function openPostgresSignals(url: string, onFailure: SignalFailure): Promise<Signals> {
  const signals = new PostgresSignals(url, onFailure);
  await signals.open();
  return signals;
}

class PostgresSignals implements Signals {
  readonly #url: string;
  readonly #onFailure: SignalFailure;
  readonly #listeners: Listeners;
  readonly #self = randomUUID();
  /** Signals to be sent; a set, because duplicates carry no information. */
  readonly #outgoing = new Set<string>();
  #client: pg.Client | undefined;
  #sending: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(url: string, onFailure: SignalFailure) {
    this.#url = url;
    this.#onFailure = onFailure;
    this.#listeners = new Listeners(onFailure);
  }

  async open(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true, connectionTimeoutMillis: 10_000 });
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    client.on('error', this.#onFailure);
    try {
      await client.connect();
      await client.query(`listen ${pgChannel}`);
    } catch (error) {
      await client.end().catch(this.#onFailure);
      throw error;
    }
    if (this.#closed) return client.end();
    client.on('end', () => this.#lost(client));
    this.#client = client;
    this.#failures = 0;
    this.#flush();
  }

  notify(channel: string, payload?: string): void {
    const message = JSON.stringify([this.#self, channel, payload]);
    if (Buffer.byteLength(message) > maxBytes) throw new Error(`a signal on ${channel} is too long`);
    // Local listeners are called directly, even while the connection is down.
    this.#listeners.wake(channel, payload);
    if (this.#outgoing.size < maxOutgoing) this.#outgoing.add(message);
    this.#flush();
  }

  on(channel: string, listener: SignalListener): () => void {
    return this.#listeners.add(channel, listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#listeners.clear();
    await this.#sending;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  #receive(message: string): void {
    const [from, channel, payload] = JSON.parse(message) as [string, string, string?];
    if (from !== this.#self) this.#listeners.wake(channel, payload ?? undefined);
  }

  #flush(): void {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  // Signals raised while one batch is being sent go into the next.
  async #send(): Promise<void> {
    while (this.#client && this.#outgoing.size > 0) {
      const batch = [...this.#outgoing];
      this.#outgoing.clear();
      try {
        await this.#client.query('select pg_notify($1, message) from unnest($2::text[]) as message', [
          pgChannel,
          batch,
        ]);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    if (!this.#closed) this.#reopenLater();
  }

  #reopenLater(): void {
    const pause = Math.min(maxPauseMs, 100 * 2 ** this.#failures++);
    this.#retry = setTimeout(() => void this.#reopen(), pause).unref();
  }

  async #reopen(): Promise<void> {
    try {
      await this.open();
      this.#listeners.wakeAll();
    } catch (error) {
      this.#onFailure(error);
      if (!this.#closed) this.#reopenLater();
    }
  }
}
