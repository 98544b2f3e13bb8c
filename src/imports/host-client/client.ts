import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Egress, EgressRefused, type EgressResponse } from '../../platform/egress/client.ts';
import { withoutSecrets } from '../../platform/git/remote/address.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { rateLimitOf } from './rate-limit.ts';

/** The other host answered with something that is no success. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`${body.slice(0, 500)} (HTTP ${status})`);
    this.status = status;
    this.body = body;
  }
}

/** The other host says that it went well, and sends something that no program reads: a page to sign in, mostly. */
export class UnreadableAnswer extends HostError {
  constructor(status: number, text: string) {
    const page = /^\s*<(?:!doctype|html|head|body)/i.test(text);
    super(status, page ? 'The other host answered with a web page, not with JSON' : 'The answer is not JSON');
  }
}

/** The other host wants to be left alone for a while. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`the other host asks to wait for ${waitMs} ms`);
    this.waitMs = waitMs;
  }
}

export interface HostRequestOptions {
  readonly signal?: AbortSignal;
  /** For calls that somebody waits for. */
  readonly timeoutMs?: number;
}

/** What came back, read. */
export interface HostAnswer<T> {
  readonly body: T;
  readonly headers: IncomingHttpHeaders;
}

const largestBody = 100 * 1024 * 1024;
const patience = 60_000;

/** What of a header must not be read by others: the token, or the password beside a name. */
function secretIn(authorization: string): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (!/^basic$/i.test(scheme)) return value;
  return Buffer.from(value, 'base64').toString('utf8').split(/:(.*)/s)[1] ?? '';
}

/** Asks the API of another host, as somebody with a credential there. */
export class HostClient {
  readonly #egress: Egress;
  /** Without a slash at its end. */
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secret: string;
  readonly #heedRemaining: boolean;

  constructor(
    egress: Egress,
    base: string,
    headers: Readonly<Record<string, string>>,
    /** Stop before a limit is reached, so that people can go on working with the same credential. */
    heedRemaining = false,
  ) {
    this.#egress = egress;
    this.base = trimTrailing(base, '/');
    this.#headers = headers;
    this.#secret = secretIn(headers.authorization ?? '');
    this.#heedRemaining = heedRemaining;
  }

  /** Asks for a path below the base, or for an address of the same host that it gave itself. */
  async get<T>(place: string, { signal, timeoutMs = patience }: HostRequestOptions = {}): Promise<HostAnswer<T>> {
    const url = this.#addressOf(place);
    const response = await this.#egress.fetch(url, {
      headers: this.#headers,
      redirects: 3,
      maxBytes: largestBody,
      timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs * 5 },
      ...(signal ? { signal } : {}),
    });
    return this.#read<T>(response);
  }

  /** Asks for something to be done below the base. */
  async post<T>(place: string, json: object, { signal, timeoutMs = patience }: HostRequestOptions = {}) {
    const response = await this.#egress.fetch(this.base + place, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
      maxBytes: largestBody,
      timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs * 5 },
      ...(signal ? { signal } : {}),
    });
    return this.#read<T>(response);
  }

  /** Opens a file below the base, which is to be read to its end or destroyed. It may lie elsewhere. */
  async download(
    place: string,
    { signal, maxBytes, totalMs }: { signal: AbortSignal; maxBytes: number; totalMs: number },
  ): Promise<Readable> {
    const response = await this.#egress.fetch(this.base + place, {
      headers: this.#headers,
      redirects: 3,
      maxBytes,
      timeoutsMs: { headers: patience, body: patience * 5, total: totalMs },
      signal,
    });
    if (response.status === 200) return response.body;
    await this.#read(response);
    throw new HostError(response.status, 'The other host sends no file');
  }

  // The address of the next page comes from the other side: with it goes the credential.
  #addressOf(place: string): string {
    if (place.startsWith('/')) return this.base + place;
    const [next, own] = [URL.parse(place), new URL(this.base)];
    if (next?.host !== own.host || next.protocol !== own.protocol) throw new EgressRefused('Invalid pagination URL');
    return place;
  }

  async #read<T>(response: EgressResponse): Promise<HostAnswer<T>> {
    const { status, headers } = response;
    const text = await response.text();
    const waitMs = rateLimitOf(status, headers, text, Date.now(), this.#heedRemaining);
    // What goes wrong is kept and logged: a host that says the credential back must not have it read there.
    const refused = (said: string) => new HostError(status, withoutSecrets(said, { password: this.#secret }));
    if (status >= 300) throw waitMs === undefined ? refused(text) : new RateLimited(waitMs);
    try {
      return { body: JSON.parse(text) as T, headers };
    } catch (error) {
      throw error instanceof SyntaxError ? new UnreadableAnswer(status, text) : error;
    } finally {
      if (waitMs !== undefined) this.#paused = Date.now() + waitMs;
    }
  }

  #paused = 0;

  /** Throws when the last answer said that few requests are left: to be called before the next page. */
  checkPause(): void {
    const waitMs = this.#paused - Date.now();
    if (waitMs > 0) throw new RateLimited(waitMs);
  }
}
