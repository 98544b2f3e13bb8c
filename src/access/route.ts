import { NoResultError } from 'kysely';
import { foreignKeyViolation } from '../platform/database/errors.ts';
import type { AnyEndpoint, Endpoint } from '../platform/http/endpoint.ts';
import { NotFound } from '../platform/http/errors.ts';
import type { ParamMap } from '../platform/http/params.ts';
import type { Actor } from './actor.ts';

/** One operation of the API, called by an actor. */
export type Route = AnyEndpoint<Actor>;

/** Declares an operation; the types of its parameters and subject reach the handler. */
export function route<M extends ParamMap, Subject, Admitted extends Actor>(
  endpoint: Endpoint<Actor, M, Subject, Admitted>,
): Route {
  if (endpoint.method === 'GET') return endpoint;
  const guarded: typeof endpoint = { ...endpoint, handle: (call) => noticing(() => endpoint.handle(call)) };
  return guarded;
}

/**
 * What a request is about may be removed between the gate, which found it, and the write: a row that is gone cannot be
 * changed, and nothing can belong to it.
 */
async function noticing(handle: () => unknown): Promise<unknown> {
  try {
    return await handle();
  } catch (error) {
    throw error instanceof NoResultError || foreignKeyViolation(error) ? new NotFound() : error;
  }
}
