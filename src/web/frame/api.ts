import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type ApiAnswer,
  callInProcess,
  type Entity,
  errorMessagesIn,
  type Headers,
  type JsonBody,
  type Method,
  type Query,
  type WriteMethod,
  withQuery,
} from '../../platform/http/in-process.ts';

export type { ApiAnswer, Entity, JsonBody, Query, WriteMethod };

/** An uploaded file. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The API rejected a request; rendered as an error page unless it is handled. */
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

/** Options for uploading a file. */
interface Upload {
  readonly method?: WriteMethod;
  readonly field?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * The public API, called in process with the user's session cookie and the same authorization checks, so that a page
 * can show and do nothing that the API would refuse.
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

  /** Sends a request and returns any response. */
  async ask(method: 'GET' | 'HEAD', path: string, query?: Query, headers?: Headers): Promise<ApiAnswer>;
  async ask(method: WriteMethod, path: string, sent?: JsonBody): Promise<ApiAnswer>;
  async ask(method: Method, path: string, sent: JsonBody = {}, more: Headers = {}): Promise<ApiAnswer> {
    if (method === 'GET' || method === 'HEAD') return this.#inject(method, withQuery(path, sent), more);
    return this.#inject(method, path, { ...more, 'content-type': 'application/json' }, JSON.stringify(sent));
  }

  /** Uploads a file together with form fields. */
  async upload(path: string, file: SentFile, { method = 'POST', field = 'file', fields = {} }: Upload = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(field, new File([new Uint8Array(file.bytes)], file.name));
    const written = new Response(form);
    const headers = { 'content-type': written.headers.get('content-type') ?? '' };
    return this.#inject(method, path, headers, Buffer.from(await written.arrayBuffer()));
  }

  /** Streams a multipart form to the API. */
  async handOn(path: string, stream: Readable): Promise<ApiAnswer> {
    const { 'content-type': type = '', 'content-length': length } = this.#request.headers;
    const headers = { 'content-type': type, ...(length !== undefined && { 'content-length': length }) };
    try {
      return await this.#inject('POST', path, headers, stream);
    } catch (error) {
      // The client has disconnected.
      throw stream.readableAborted ? new Refusal(400, 'The upload was incomplete') : error;
    }
  }

  async #inject(method: Method, url: string, more: Headers, payload?: string | Buffer | Readable): Promise<ApiAnswer> {
    const { cookie } = this.#request.headers;
    return callInProcess(this.#app, this.#request, {
      method,
      url,
      headers: {
        ...more,
        ...(cookie !== undefined && { cookie }),
        ...(this.#csrf !== undefined && { 'x-csrf-token': this.#csrf }),
      },
      ...(payload !== undefined && { payload }),
    });
  }

  /** Returns a required resource; throws a `Refusal` if the request fails. */
  async get(path: string, query: Query = {}): Promise<Entity> {
    return (await this.page(path, query)).body;
  }

  /** Like `get`, but includes the headers; for lists. */
  async page(path: string, query: Query = {}): Promise<ApiAnswer> {
    return expectSuccess(await this.ask('GET', path, query));
  }

  /** Returns a resource that may be missing or inaccessible; undefined in that case. */
  async maybe(path: string, query: Query = {}): Promise<Entity | undefined> {
    const answer = await this.ask('GET', path, query);
    if (answer.status >= 500) throw refusalOf(answer);
    return answer.status < 300 ? answer.body : undefined;
  }

  /** Returns the readiness of the server's dependencies. */
  async readiness(): Promise<Entity> {
    return (await this.#app.inject({ method: 'GET', url: '/-/readiness' })).json();
  }

  async send(method: WriteMethod, path: string, sent: JsonBody = {}): Promise<Entity> {
    return expectSuccess(await this.ask(method, path, sent)).body;
  }
}

function expectSuccess(answer: ApiAnswer): ApiAnswer {
  if (answer.status >= 300) throw refusalOf(answer);
  return answer;
}

export function refusalOf({ status, body }: ApiAnswer): Refusal {
  return new Refusal(status, errorMessagesIn(body).join('; '));
}
