import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiPrefix } from './app.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses are described by the API's own schemas and read here as a client would
export type Entity = any;

/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Entity;
  readonly bytes: Buffer;
}

type Value = string | number | boolean | undefined | null;
export type Query = Readonly<Record<string, Value | readonly Value[]>>;

/** The JSON body of a write. */
export type JsonBody = Readonly<Record<string, unknown>>;

export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Headers = Readonly<Record<string, string>>;
export type Method = 'GET' | 'HEAD' | WriteMethod;

/** An in-process API call. */
export interface InnerCall {
  readonly method: Method;
  /** Relative to the API's prefix, with its query. */
  readonly url: string;
  /** Including credentials: of the outer request, only the client's address is passed on. */
  readonly headers: Headers;
  readonly payload?: string | Buffer | Readable;
}

/** Formats a query as the API parses it. */
function queryText(query: JsonBody): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((each) => [`${name}[]`, each] as const)
      : value === undefined || value === null || value === ''
        ? []
        : [[name, value] as const],
  );
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
}

/** A path with its query. */
export function withQuery(path: string, query: JsonBody): string {
  const text = queryText(query);
  return text === '' ? path : `${path}?${text}`;
}

const inner = new AsyncLocalStorage<true>();

/** Whether a request is an in-process call. The request that caused it has already been counted. */
export const isInProcess = (): boolean => inner.getStore() === true;

/**
 * Calls the public API in process for the sender of the outer request, through the same gates as a call from outside,
 * so that such a client can never show or do what the API would refuse.
 */
export async function callInProcess(
  app: FastifyInstance,
  request: FastifyRequest,
  { method, url, headers, payload }: InnerCall,
): Promise<ApiAnswer> {
  const sent = {
    method,
    url: `${apiPrefix}${url}`,
    remoteAddress: request.ip,
    headers: { ...headers, host: request.host },
    ...(payload !== undefined && { payload }),
  };
  // The call starts when it is awaited, not when it is created.
  const answer = await inner.run(true, async () => await app.inject(sent));
  const json = String(answer.headers['content-type'] ?? '').startsWith('application/json') && answer.payload !== '';
  const { statusCode: status, rawPayload: bytes } = answer;
  return { status, headers: answer.headers, bytes, body: json ? JSON.parse(answer.payload) : answer.payload };
}

/** The messages of a rejected call, as sentences. */
export function errorMessagesIn(body: Entity): string[] {
  const reason = body?.message ?? body?.error_description ?? body?.error ?? body?.errors ?? '';
  if (typeof reason === 'string') return reason === '' ? [] : [reason.replace(/^\d{3} /, '')];
  if (typeof reason?.error === 'string') return [reason.error];
  if (Array.isArray(reason)) return reason.map(String);
  if (typeof reason !== 'object' || reason === null) return [];
  // The API reports a taken name twice.
  return Object.entries(reason)
    .filter(([name]) => !name.startsWith('project_namespace.'))
    .map(([name, texts]) => `${name.replaceAll('_', ' ')} ${Array.isArray(texts) ? texts.join(', ') : String(texts)}`);
}
