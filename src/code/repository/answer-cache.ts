import type { FastifyRequest } from 'fastify';
import type { Objects } from '../../platform/git/objects/objects.ts';
import type { JsonAnswer } from '../../platform/http/responses/json.ts';
import { Cacheable } from '../../platform/http/responses/results.ts';

const kind = 'answer';

/**
 * Caches a response that depends only on its URL and the given facts, such as commit IDs, and not on the caller or the
 * database. It is stored with the objects of the repository. The caller's access must have been checked before.
 */
export function cachedResponse<T>(
  objects: Objects,
  cacheKeys: readonly string[],
  { method, url, body }: FastifyRequest,
  work: () => Promise<T>,
): Cacheable<T> | Promise<T> {
  if (method !== 'GET' || body) return work();
  const key = `${cacheKeys.join(' ')} ${url}`;
  return new Cacheable(
    {
      answer: objects.known<JsonAnswer>(kind, key),
      // Twice the body for its compressed form, plus an allowance per header.
      keep: (answer) => objects.keep(kind, key, 2 * answer.body.length + 50 * answer.headers.length, answer),
    },
    work,
  );
}
