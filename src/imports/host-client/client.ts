import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Egress, EgressRefused, type EgressResponse } from '../../platform/egress/client.ts';
import { withoutSecrets } from '../../platform/git/remote/address.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { rateLimitOf } from './rate-limit.ts';

/** The source host responded with an error status. */
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

/** A successful response with unreadable content, mostly a sign-in page. */
export class UnreadableAnswer extends HostError {
  constructor(status: number, text: string) {
    const page = /^\s*<(?:!doctype|html|head|body)/i.test(text);
    super(status, page ? 'The other host answered with a web page, not with JSON' : 'The answer is not JSON');
  }
}

const day = 24 * 60 * 60_000;

/** The source host is rate limiting requests. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  /** At most a day, whatever the host asks for. */
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`the source host requires a delay of ${waitMs} ms`);
    // PostgreSQL stores no fractions of a millisecond.
    this.waitMs = Math.min(Math.ceil(waitMs), day);
  }
}

export interface HostRequestOptions {
  readonly signal?: AbortSignal;
  /** Shorter timeout for requests a user waits for. */
  readonly timeoutMs?: number;
}

/** A parsed response. */
export interface HostAnswer<T> {
  readonly body: T;
  readonly headers: IncomingHttpHeaders;
}

const maxBodyBytes = 100 * 1024 * 1024;
const defaultTimeoutMs = 60_000;

/** The secret in an authorization header: the token or password. */
function secretIn(authorization: string): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (!/^basic$/i.test(scheme)) return value;
  return Buffer.from(value, 'base64').toString('utf8').split(/:(.*)/s)[1] ?? '';
}

/** API client for a source host with one credential. */
export class HostClient {
  readonly #egress: Egress;
  /** Without a trailing slash. */
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secret: string;
  readonly #reserveRequests: boolean;

  constructor(
    egress: Egress,
    base: string,
    headers: Readonly<Record<string, string>>,
    /** Pauses before the rate limit is exhausted, so that the user can continue to work with the same credential. */
    reserveRequests = false,
  ) {
    this.#egress = egress;
    this.base = trimTrailing(base, '/');
    this.#headers = headers;
    this.#secret = secretIn(headers.authorization ?? '');
    this.#reserveRequests = reserveRequests;
  }

  /** Requests a path below the base URL, or an absolute URL of the same host returned by it. */
  async get<T>(
    place: string,
    { signal, timeoutMs = defaultTimeoutMs }: HostRequestOptions = {},
  ): Promise<HostAnswer<T>> {
    const url = this.#addressOf(place);
    const response = await this.#egress.fetch(url, {
      headers: this.#headers,
      redirects: 3,
      maxBytes: maxBodyBytes,
      timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs * 5 },
      ...(signal ? { signal } : {}),
    });
    return this.#read<T>(response);
  }

  /** Sends a POST request below the base URL. */
  async post<T>(place: string, json: object, { signal, timeoutMs = defaultTimeoutMs }: HostRequestOptions = {}) {
    const response = await this.#egress.fetch(this.base + place, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
      maxBytes: maxBodyBytes,
      timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs * 5 },
      ...(signal ? { signal } : {}),
    });
    return this.#read<T>(response);
  }

  /** Opens a file below the base URL, possibly redirected elsewhere. The stream must be consumed or destroyed. */
  async download(
    place: string,
    { signal, maxBytes, totalMs }: { signal: AbortSignal; maxBytes: number; totalMs: number },
  ): Promise<Readable> {
    const response = await this.#egress.fetch(this.base + place, {
      headers: this.#headers,
      redirects: 3,
      maxBytes,
      timeoutsMs: { headers: defaultTimeoutMs, body: defaultTimeoutMs * 5, total: totalMs },
      signal,
    });
    if (response.status === 200) return response.body;
    await this.#read(response);
    throw new HostError(response.status, 'The source host sent no file');
  }

  // Next-page URLs are controlled by the source host, and the credential is sent along.
  #addressOf(place: string): string {
    if (place.startsWith('/')) return this.base + place;
    const [next, own] = [URL.parse(place), new URL(this.base)];
    if (next?.host !== own.host || next.protocol !== own.protocol) throw new EgressRefused('Invalid pagination URL');
    return place;
  }

  async #read<T>(response: EgressResponse): Promise<HostAnswer<T>> {
    const { status, headers } = response;
    const text = await response.text();
    const waitMs = rateLimitOf(status, headers, text, Date.now(), this.#reserveRequests);
    // Errors are stored and logged, so a credential echoed by the host must be removed.
    const refused = (message: string) => new HostError(status, withoutSecrets(message, { password: this.#secret }));
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

  /** Throws if the last response reported a low remaining rate limit. Called before the next page. */
  checkPause(): void {
    const waitMs = this.#paused - Date.now();
    if (waitMs > 0) throw new RateLimited(waitMs);
  }
}
