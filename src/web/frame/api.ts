import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiPrefix } from '../../platform/http/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the API answers is described by its own schemas, and read here as a client reads it
export type Entity = any;

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Entity;
  readonly bytes: Buffer;
}

/** A file that a form has sent. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The API said no: the page that asked becomes an error page. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string) {
    super(`${status} ${reason}`);
    this.status = status;
    this.reason = reason;
  }
}

type Value = string | number | boolean | undefined | null;
export type Query = Readonly<Record<string, Value | readonly Value[]>>;

/** What a write sends, as JSON. */
export type Sent = Readonly<Record<string, unknown>>;

export type Writing = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Headers = Readonly<Record<string, string>>;
type Method = 'GET' | 'HEAD' | Writing;

/** How the API takes a file. */
interface Upload {
  readonly method?: Writing;
  readonly field?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A query as the API reads it. */
export function queryText(query: Sent): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((each) => [`${name}[]`, each] as const)
      : value === undefined || value === null || value === ''
        ? []
        : [[name, value] as const],
  );
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
}

/**
 * The public API, asked in this process for the one who reads the page: with their cookie, through the same gates, so
 * that a page can show and do nothing that the API would refuse.
 */
export class Api {
  readonly #app: FastifyInstance;
  readonly #request: FastifyRequest;
  readonly #csrf: string | undefined;

  constructor(app: FastifyInstance, request: FastifyRequest, csrf: string | undefined) {
    this.#app = app;
    this.#request = request;
    this.#csrf = csrf;
  }

  /** Asks, and gives whatever is answered. */
  async ask(method: 'GET' | 'HEAD', path: string, query?: Query, headers?: Headers): Promise<ApiAnswer>;
  async ask(method: Writing, path: string, sent?: Sent): Promise<ApiAnswer>;
  async ask(method: Method, path: string, sent: Sent = {}, more: Headers = {}): Promise<ApiAnswer> {
    const reads = method === 'GET' || method === 'HEAD';
    const query = reads ? queryText(sent) : '';
    const url = `${path}${query === '' ? '' : `?${query}`}`;
    if (reads) return this.#inject(method, url, more);
    return this.#inject(method, url, { ...more, 'content-type': 'application/json' }, JSON.stringify(sent));
  }

  /** Sends a file that came with a form, and what was typed beside it. */
  async upload(path: string, file: SentFile, { method = 'POST', field = 'file', fields = {} }: Upload = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(field, new File([new Uint8Array(file.bytes)], file.name));
    const written = new Response(form);
    const headers = { 'content-type': written.headers.get('content-type') ?? '' };
    return this.#inject(method, path, headers, Buffer.from(await written.arrayBuffer()));
  }

  /** Hands a form with a file on as it comes. */
  async handOn(path: string, stream: Readable): Promise<ApiAnswer> {
    const { 'content-type': type = '', 'content-length': length } = this.#request.headers;
    const headers = { 'content-type': type, ...(length !== undefined && { 'content-length': length }) };
    try {
      return await this.#inject('POST', path, headers, stream);
    } catch (error) {
      // Whoever sent it has gone away.
      throw stream.readableAborted ? new Refusal(400, 'The file did not come to its end') : error;
    }
  }

  async #inject(method: Method, url: string, more: Headers, payload?: string | Buffer | Readable): Promise<ApiAnswer> {
    const { cookie } = this.#request.headers;
    const answer = await this.#app.inject({
      method,
      url: `${apiPrefix}${url}`,
      remoteAddress: this.#request.ip,
      headers: {
        ...more,
        host: this.#request.host,
        ...(cookie !== undefined && { cookie }),
        ...(this.#csrf !== undefined && { 'x-csrf-token': this.#csrf }),
      },
      ...(payload !== undefined && { payload }),
    });
    const json = String(answer.headers['content-type'] ?? '').startsWith('application/json') && answer.payload !== '';
    const { statusCode: status, headers, rawPayload: bytes } = answer;
    return { status, headers, bytes, body: json ? JSON.parse(answer.payload) : answer.payload };
  }

  /** Asks for something the page cannot do without. */
  async get(path: string, query: Query = {}): Promise<Entity> {
    return (await this.page(path, query)).body;
  }

  /** The same with the headers, for lists. */
  async page(path: string, query: Query = {}): Promise<ApiAnswer> {
    return expectSuccess(await this.ask('GET', path, query));
  }

  /** Asks for something that may be missing or hidden; undefined then. */
  async maybe(path: string, query: Query = {}): Promise<Entity | undefined> {
    const answer = await this.ask('GET', path, query);
    if (answer.status >= 500) throw refusalOf(answer);
    return answer.status < 300 ? answer.body : undefined;
  }

  /** Whether the parts that the server stands on are well, as whoever watches it is told. */
  async readiness(): Promise<Entity> {
    return (await this.#app.inject({ method: 'GET', url: '/-/readiness' })).json();
  }

  async send(method: Writing, path: string, sent: Sent = {}): Promise<Entity> {
    return expectSuccess(await this.ask(method, path, sent)).body;
  }
}

function expectSuccess(answer: ApiAnswer): ApiAnswer {
  if (answer.status >= 300) throw refusalOf(answer);
  return answer;
}

export function refusalOf({ status, body }: ApiAnswer): Refusal {
  return new Refusal(status, reasonIn(body));
}

/** What the API says, as a sentence. */
function reasonIn(body: Entity): string {
  const said = body?.message ?? body?.error_description ?? body?.error ?? body?.errors ?? '';
  if (typeof said === 'string') return said.replace(/^\d{3} /, '');
  if (typeof said?.error === 'string') return said.error;
  if (Array.isArray(said)) return said.join(', ');
  if (typeof said !== 'object' || said === null) return '';
  // Of a name that is taken the API says twice that it is.
  return Object.entries(said)
    .filter(([name]) => !name.startsWith('project_namespace.'))
    .map(([name, texts]) => `${name.replaceAll('_', ' ')} ${Array.isArray(texts) ? texts.join(', ') : String(texts)}`)
    .join('; ');
}
