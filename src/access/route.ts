import type { AnyEndpoint, Endpoint } from '../platform/http/endpoint.ts';
import type { ParamMap } from '../platform/http/params.ts';
import type { Actor } from './actor.ts';

/** One operation of the API, called by an actor. */
export type Route = AnyEndpoint<Actor>;

/** Declares an operation; the types of its parameters and subject reach the handler. */
export function route<M extends ParamMap, Subject>(endpoint: Endpoint<Actor, M, Subject>): Route {
  return endpoint;
}
