import type { FastifyRequest } from 'fastify';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import type { JsonAnswer } from '../../platform/http/json.ts';
import { Settled } from '../../platform/http/results.ts';

const kind = 'answer';

/**
 * An answer that depends on a commit and on the address alone: not on the caller, nor on anything in the database. It is
 * kept with the objects of the repository; that the caller may read them was decided before.
 */
export function settledBy<T>(
  objects: Objects,
  { oid }: Commit,
  { method, url, body }: FastifyRequest,
  work: () => Promise<T>,
): Settled<T> | Promise<T> {
  if (method !== 'GET' || body) return work();
  const key = `${oid} ${url}`;
  return new Settled(
    {
      answer: objects.known<JsonAnswer>(kind, key),
      // Once more for its compressed form, and what a header takes.
      keep: (answer) => objects.keep(kind, key, 2 * answer.body.length + 50 * answer.headers.length, answer),
    },
    work,
  );
}
