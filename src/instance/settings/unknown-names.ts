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
const maxTold = 20;

/**
 * The names in a request that are no settings. They are passed over, as clients of other releases expect, but told: who
 * misspells a setting that guards something must be able to find out.
 */
export function unknownNames({ query, body }: Pick<FastifyRequest, 'query' | 'body'>): string[] {
  const sent = [query, body].flatMap((part) => (typeof part === 'object' && part !== null ? Object.keys(part) : []));
  return sent.filter((name) => !known.has(name) && /^[a-z0-9_]{1,100}$/i.test(name)).slice(0, maxTold);
}
