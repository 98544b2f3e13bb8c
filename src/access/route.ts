import { NoResultError } from 'kysely';
import { foreignKeyViolation } from '../platform/database/errors.ts';
import type { AnyEndpoint, Endpoint } from '../platform/http/endpoint.ts';
import { NotFound } from '../platform/http/errors.ts';
import type { ParamMap } from '../platform/http/params.ts';
import type { Actor } from './actor.ts';

/** An API operation called by an actor. */
export type Route = AnyEndpoint<Actor>;

/** Declares an operation; the handler's types are inferred from its parameters and gate. */
export function route<M extends ParamMap, Subject, Admitted extends Actor>(
  endpoint: Endpoint<Actor, M, Subject, Admitted>,
): Route {
  if (endpoint.method === 'GET') return endpoint;
  const guarded: typeof endpoint = { ...endpoint, handle: (call) => withNotFound(() => endpoint.handle(call)) };
  return guarded;
}

/**
 * Reports a subject that was removed between the gate, which loaded it, and the write as not found: the row to update
 * is missing, or a foreign key is violated.
 */
async function withNotFound(handle: () => unknown): Promise<unknown> {
  try {
    return await handle();
  } catch (error) {
    throw error instanceof NoResultError || foreignKeyViolation(error) ? new NotFound() : error;
  }
}
