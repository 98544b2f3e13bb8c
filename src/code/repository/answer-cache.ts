import type { FastifyRequest } from 'fastify';
import type { Objects } from '../../platform/git/objects/objects.ts';
import type { JsonAnswer } from '../../platform/http/responses/json.ts';
import { Cacheable } from '../../platform/http/responses/results.ts';

const kind = 'answer';

/**
 * An answer that depends on its address and on the `facts`, such as the ids of commits: on nothing else, not the caller,
 * nor anything in the database. It is kept with the objects of the repository; that the caller may read them was decided
 * before.
 */
export function cachedAnswer<T>(
  objects: Objects,
  facts: readonly string[],
  { method, url, body }: FastifyRequest,
  work: () => Promise<T>,
): Cacheable<T> | Promise<T> {
  if (method !== 'GET' || body) return work();
  const key = `${facts.join(' ')} ${url}`;
  return new Cacheable(
    {
      answer: objects.known<JsonAnswer>(kind, key),
      // Once more for its compressed form, and what a header takes.
      keep: (answer) => objects.keep(kind, key, 2 * answer.body.length + 50 * answer.headers.length, answer),
    },
    work,
  );
}
