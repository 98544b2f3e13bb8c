import { NoResultError } from 'kysely';
import { foreignKeyViolation } from '../platform/database/errors.ts';
import type { AnyEndpoint, Endpoint } from '../platform/http/endpoint.ts';
import { NotFound } from '../platform/http/errors.ts';
import type { ParamMap } from '../platform/http/params.ts';
import type { Actor } from './actor.ts';

/** An API operation that an actor calls. */
export type Route = AnyEndpoint<Actor>;

/** Declares an operation; infers the handler's types from its parameters and gate. */
export function route<M extends ParamMap, Subject, Admitted extends Actor>(
  endpoint: Endpoint<Actor, M, Subject, Admitted>,
): Route {
  if (endpoint.method === 'GET') return endpoint;
  const guarded: typeof endpoint = { ...endpoint, handle: (call) => noticing(() => endpoint.handle(call)) };
  return guarded;
}

/**
 * The subject may be removed between the gate, which loaded it, and the write: a missing row cannot be changed, and
 * nothing can refer to it.
 */
async function noticing(handle: () => unknown): Promise<unknown> {
  try {
    return await handle();
  } catch (error) {
    throw error instanceof NoResultError || foreignKeyViolation(error) ? new NotFound() : error;
  }
}
