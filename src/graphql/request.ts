import type { FastifyRequest } from 'fastify';
import type { Headers } from '../platform/http/in-process.ts';
import type { QueryRequest } from './engine/run.ts';

/** Characters of all queries of a request together. */
export const maxQueryLength = 10_000;
/** Queries of one request. */
export const maxQueries = 50;

/** What was sent cannot be read as queries: the text of the answer. */
export class UnreadableRequest extends Error {}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Variables come as an object, or as the text of one. */
function variablesOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null || given === '') return {};
  if (isRecord(given)) return given;
  if (typeof given === 'string') {
    try {
      return variablesOf(JSON.parse(given));
    } catch {
      // As below.
    }
  }
  throw new UnreadableRequest('Unexpected parameter: variables');
}

function queryOf(given: unknown): QueryRequest {
  if (!isRecord(given)) throw new UnreadableRequest('Unexpected query');
  const { query = '', operationName, variables } = given;
  if (query !== null && typeof query !== 'string') throw new UnreadableRequest('Unexpected parameter: query');
  return {
    query: query ?? '',
    variables: variablesOf(variables),
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

/** The queries of a request; a list of them is answered with a list. */
export function readQueries(body: unknown): { readonly queries: readonly QueryRequest[]; readonly isList: boolean } {
  const isList = Array.isArray(body);
  const given: readonly unknown[] = isList ? body : [body ?? {}];
  if (given.length > maxQueries) throw new UnreadableRequest('Too many queries');
  const queries = given.map(queryOf);
  const length = queries.reduce((sum, { query }) => sum + query.length, 0);
  if (length > maxQueryLength) throw new UnreadableRequest('Query too large');
  return { queries, isList };
}

const carriers = ['private-token', 'authorization', 'job-token', 'sudo'] as const;

/** What a request proves by who sends it, as headers of the calls that are made for it. */
export function credentialsOf(
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  isSession: boolean,
): Headers {
  const found: Record<string, string> = {};
  for (const name of carriers) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  const given = query as Readonly<Record<string, unknown>>;
  if (typeof given.private_token === 'string') found['private-token'] = given.private_token;
  if (typeof given.access_token === 'string') found.authorization ??= `Bearer ${given.access_token}`;
  if (typeof given.job_token === 'string') found['job-token'] = given.job_token;
  if (typeof given.sudo === 'string') found.sudo = given.sudo;
  // A cookie without the token of a page of ours is nobody's: what is read with it must be what nobody may read.
  if (!isSession) return found;
  for (const name of ['cookie', 'x-csrf-token'] as const) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
