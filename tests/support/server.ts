import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Area } from '../../src/access/area.ts';
import { areas } from '../../src/areas.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { migrations } from '../../src/migrations/list.ts';
import type { Database, Engine } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { insideJob } from '../../src/platform/queue/queue.ts';
import { createPasswords } from '../../src/platform/secrets/password.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { atEnd } from './at-end.ts';
import { testDatabasePlace } from './engines.ts';
import { copyMigrated } from './sqlite-template.ts';

/** The token of the administrator `root` on every test server. */
export const rootToken = 'glpat-test-root-token';

// Tests add a dozen users, and each hash with regular parameters takes a tenth of a second.
const cheapPasswords = createPasswords({ cost: { memory: 64, passes: 1, parallelism: 1 } });

// Shared, because each logger listens for the end of the process.
const log = createLogger({ logLevel: 'error' });

/** A response with its status, headers and body, parsed if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of what they read
  readonly body: any;
  readonly text: string;
}

export interface Sending {
  /** The caller's token; null for anonymous. Defaults to the administrator. */
  token?: string | null;
  json?: unknown;
  form?: string;
  body?: NonNullable<RequestInit['body']>;
  headers?: Record<string, string>;
}

// Background statements: polling for jobs and settings, and recording token use.
const inBackground = /"(jobs|recurring_jobs|application_settings)"|^update "(access_tokens|users)" set "last_/;

/** A client for a server in this or another process. */
export class ApiClient {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` are sent with every call. */
  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  /** Calls the API: `api('GET /projects/1', { token })`. Paths starting with `/-/` or `/api` are used unchanged. */
  async api(call: string, sending: Sending = {}): Promise<Answer> {
    const [method = 'GET', path = '/'] = call.split(/ (.*)/s);
    const headers: Record<string, string> = { ...this.#headers, ...sending.headers };
    const token = sending.token === undefined ? rootToken : sending.token;
    if (token !== null) headers['private-token'] = token;
    if (sending.json !== undefined) headers['content-type'] = 'application/json';
    if (sending.form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
    const body = sending.json !== undefined ? JSON.stringify(sending.json) : (sending.form ?? sending.body ?? null);
    const target = /^\/(-|api)\//.test(path) ? path : `/api/v4${path}`;
    // Streams are sent in chunks without a length.
    const duplex = body instanceof ReadableStream ? { duplex: 'half' as const } : {};
    const response = await fetch(this.url + target, { method, headers, body, redirect: 'manual', ...duplex });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
  }

  /** Like `api`, but throws unless the call succeeds. For preparing tests. */
  async must(call: string, sending: Sending = {}): Promise<Answer['body']> {
    const answer = await this.api(call, sending);
    if (answer.status >= 300) throw new Error(`${call}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

/** A real server on a temporary directory and database. */
export class TestServer extends ApiClient {
  #running: RunningServer | undefined;
  #quiet = 0;

  constructor(running: RunningServer) {
    super(running.url);
    this.#running = running;
  }

  get running(): RunningServer {
    if (!this.#running) throw new Error('this server was stopped at the end of its test file');
    return this.#running;
  }

  /** Stops the server and drops the reference: the test runner keeps all hooks of a file and what they refer to. */
  async end(): Promise<void> {
    const running = this.#running;
    await running?.close();
    this.#running = undefined;
  }

  /** The database of the server. Background statements are hidden from query counters. */
  get db(): Database {
    const { db } = this.running.services;
    return {
      engine: db.engine,
      read: db.read,
      write: (work) => db.write(work),
      generation: () => db.generation(),
      ping: () => db.ping(),
      close: () => db.close(),
      onQuery: (listener) =>
        db.onQuery((sql) => {
          if (!insideJob() && !inBackground.test(sql)) listener(sql);
        }),
    };
  }

  /** Counts the queries of some work while no background jobs run. */
  queriesOf(work: () => Promise<unknown>): Promise<number> {
    return this.undisturbed(async () => {
      let queries = 0;
      const stop = this.db.onQuery(() => {
        queries += 1;
      });
      await work();
      stop();
      return queries;
    });
  }

  /** Runs some work while background jobs are paused, for tests that count queries. */
  async undisturbed<T>(work: () => Promise<T>): Promise<T> {
    const { queue } = this.running.services;
    this.#quiet += 1;
    if (this.#quiet === 1) await queue.stop();
    try {
      return await work();
    } finally {
      this.#quiet -= 1;
      if (this.#quiet === 0) await queue.start();
    }
  }
}

/**
 * Starts a server on an engine, stopped and removed when the test file ends. The test's own areas are added after the
 * regular ones.
 */
export async function startTestServer(
  engine: Engine,
  settings: readonly string[] = [],
  extra: readonly Area[] = [],
): Promise<TestServer> {
  const data = await mkdtemp(join(tmpdir(), 'hearth-server-'));
  atEnd(() => rm(data, { recursive: true, force: true, maxRetries: 10 }));
  const url = engine === 'postgres' ? (await testDatabasePlace(engine, migrations)).url : undefined;
  if (engine === 'sqlite') await copyMigrated(migrations, join(data, 'hearth.db'));
  const flags = ['--port', '0', '--data', data, '--root-token', rootToken, '--root-password', 'correct horse battery'];
  const config: Config = loadConfig([...flags, ...settings], url ? { DATABASE_URL: url } : {});
  const server = new TestServer(await startServer(config, log, [...areas, ...extra], cheapPasswords));
  atEnd(() => server.end());
  return server;
}
