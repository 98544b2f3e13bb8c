import type { FastifyRequest } from 'fastify';
import type { Headers } from '../platform/http/in-process.ts';
import type { QueryRequest } from './engine/run.ts';

/** Maximum total length of all queries of a request. */
export const maxQueryLength = 10_000;
/** Maximum number of queries of a request. */
export const maxQueries = 50;

/** The request contains no valid queries; the message is the response. */
export class UnreadableRequest extends Error {}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the variables, an object or its JSON text. */
function variablesOf(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined || input === null || input === '') return {};
  if (isRecord(input)) return input;
  if (typeof input === 'string') {
    try {
      return variablesOf(JSON.parse(input));
    } catch {
      // Rejected below.
    }
  }
  throw new UnreadableRequest('Unexpected parameter: variables');
}

function queryOf(input: unknown): QueryRequest {
  if (!isRecord(input)) throw new UnreadableRequest('Unexpected query');
  const { query = '', operationName, variables } = input;
  if (query !== null && typeof query !== 'string') throw new UnreadableRequest('Unexpected parameter: query');
  return {
    query: query ?? '',
    variables: variablesOf(variables),
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

/** Parses the queries of a request; a list of queries is answered with a list. */
export function readQueries(body: unknown): { readonly queries: readonly QueryRequest[]; readonly isList: boolean } {
  const isList = Array.isArray(body);
  const input: readonly unknown[] = isList ? body : [body ?? {}];
  if (input.length > maxQueries) throw new UnreadableRequest('Too many queries');
  const queries = input.map(queryOf);
  const length = queries.reduce((sum, { query }) => sum + query.length, 0);
  if (length > maxQueryLength) throw new UnreadableRequest('Query too large');
  return { queries, isList };
}

const carriers = ['private-token', 'authorization', 'job-token', 'sudo'] as const;

/** The credentials of a request, as headers for the API calls made on its behalf. */
export function credentialsOf(
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  isSession: boolean,
): Headers {
  const found: Record<string, string> = {};
  for (const name of carriers) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  const input = query as Readonly<Record<string, unknown>>;
  if (typeof input.private_token === 'string') found['private-token'] = input.private_token;
  if (typeof input.access_token === 'string') found.authorization ??= `Bearer ${input.access_token}`;
  if (typeof input.job_token === 'string') found['job-token'] = input.job_token;
  if (typeof input.sudo === 'string') found.sudo = input.sudo;
  // A cookie without a valid CSRF token is ignored, so such a request is anonymous and its API calls must be too.
  if (!isSession) return found;
  for (const name of ['cookie', 'x-csrf-token'] as const) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
