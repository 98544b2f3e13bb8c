import type { FastifyRequest } from 'fastify';
import { names } from './schema.ts';

const known: ReadonlySet<string> = new Set([
  ...names,
  'id',
  'private_token',
  'access_token',
  'bearer_token',
  'sudo',
  '_method',
]);
const maxReported = 20;

/**
 * Returns the parameter names that are not settings. They are ignored, as clients of other versions expect, but
 * reported, so that a misspelled security setting does not go unnoticed.
 */
export function unknownNames({ query, body }: Pick<FastifyRequest, 'query' | 'body'>): string[] {
  const sent = [query, body].flatMap((part) => (typeof part === 'object' && part !== null ? Object.keys(part) : []));
  return sent.filter((name) => !known.has(name) && /^[a-z0-9_]{1,100}$/i.test(name)).slice(0, maxReported);
}
