import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Call } from './call.ts';
import type { HttpError } from './errors.ts';
import type { ParamMap, ParamsOf, Rule } from './params.ts';

export type { Call } from './call.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    rawBody?: boolean;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call. `before` runs ahead of parameter validation (a missing sign-in is reported first), `enter` after it: it
 * loads the subject and asks the policy.
 */
export interface Gate<Caller, Subject, Admitted extends Caller = Caller> {
  /** For types only: what is known about a caller whom the gate admits. */
  readonly admits?: Admitted;
  /** The requirement of the gate, as text and as data: for the permissions page and the tests that call every route. */
  readonly asks: { readonly subject: string; readonly ability?: string };
  before?(caller: Caller): void;
  enter(caller: Caller, params: Record<string, unknown>, request: FastifyRequest): Promise<Subject> | Subject;
  /** `enter` runs ahead of parameter validation too. */
  readonly early?: boolean;
  /** Called when a handler fails unexpectedly: the subject may have been removed concurrently. */
  gone?(subject: Subject): Promise<HttpError | undefined> | undefined;
}

/** One operation of the API: path, parameters, who may call it, its responses, and one call into a service. */
export interface Endpoint<
  Caller = unknown,
  M extends ParamMap = ParamMap,
  Subject = unknown,
  Admitted extends Caller = Caller,
> {
  readonly method: Method;
  /** Below `/api/v4`, with `:name` for path parameters and a final `*` for the rest of a path. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly gate: Gate<Caller, Subject, Admitted>;
  readonly params: M;
  readonly rules?: readonly Rule[];
  /** Schemas by status; null is an empty body. The first 2xx is the default response. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  /** Reads `page` and `per_page` and sends pagination headers. */
  readonly paginated?: boolean;
  /** Token scopes that allow this operation besides `api` (and `read_api` for reads). */
  readonly scopes?: readonly string[];
  /** The token of a running job may call. */
  readonly jobToken?: boolean;
  /** Deploy tokens with one of these scopes may call; every accepted token may then also be sent by HTTP Basic. */
  readonly deployScopes?: readonly string[];
  /** Every accepted token may be sent by HTTP Basic, although deploy tokens may not call. */
  readonly basicAuth?: boolean;
  /** The token may be the entire `Authorization` header, as `gem` sends it. */
  readonly bareToken?: boolean;
  /** The token may be sealed, as it is given to Conan. */
  readonly sealedToken?: boolean;
  /** The handler reads the request stream itself; nothing is parsed. */
  readonly rawBody?: boolean;
  /** The same for anonymous callers, where the server's small limit is not enough. */
  readonly anonymousBodyLimit?: number;
  /** The maximum body size; the server's general limit by default. */
  readonly bodyLimit?: number;
  handle(call: Call<Admitted, ParamsOf<M>, Subject>): Promise<unknown> | unknown;
}

/** An endpoint whose type arguments no longer matter, for mounting. */
// biome-ignore lint/suspicious/noExplicitAny: a list of endpoints mixes parameter and subject types
export type AnyEndpoint<Caller> = Endpoint<Caller, any, any, any>;

/** The path parameters of a path, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z_]+)/g)].map((match) => match[1] as string);
}
