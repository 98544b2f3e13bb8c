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
 * Who may call. `before` runs ahead of the parameters (a missing sign-in is said first), `enter` after them: it finds
 * the subject and asks the policy.
 */
export interface Gate<Caller, Subject, Admitted extends Caller = Caller> {
  /** For types alone: what is known of a caller whom the gate has let in. */
  readonly admits?: Admitted;
  /** What the gate asks for, in words and as data: for the permission document and the tests that walk every route. */
  readonly asks: { readonly subject: string; readonly ability?: string };
  before?(caller: Caller): void;
  enter(caller: Caller, params: Record<string, unknown>, request: FastifyRequest): Promise<Subject> | Subject;
  /** Asked when a handler failed in a way that nobody foresaw: the subject may have been removed under its hands. */
  gone?(subject: Subject): Promise<HttpError | undefined> | undefined;
}

/** One operation of the API: URL, parameters, who may call it, what it answers, and one call into a service. */
export interface Endpoint<
  Caller = unknown,
  M extends ParamMap = ParamMap,
  Subject = unknown,
  Admitted extends Caller = Caller,
> {
  readonly method: Method;
  /** Below `/api/v4`, with `:name` for path parameters and a last `*` for the rest of a path. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly gate: Gate<Caller, Subject, Admitted>;
  readonly params: M;
  readonly rules?: readonly Rule[];
  /** Schemas by status; null is an empty body. The first 2xx is the default answer. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** `page` and `per_page` are read and the answer carries the page headers. */
  readonly paginated?: boolean;
  /** Token scopes that open this operation besides `api` (and `read_api` for reads). */
  readonly scopes?: readonly string[];
  /** A running job's token may call. */
  readonly jobToken?: boolean;
  /** A deploy token with one of these scopes may call; each token that may call may then come by HTTP Basic too. */
  readonly deployScopes?: readonly string[];
  /** Each token that may call may come by HTTP Basic, though no deploy token may. */
  readonly basicAuth?: boolean;
  /** The token may be all that `Authorization` holds, as `gem` sends it. */
  readonly bareToken?: boolean;
  /** The token may come sealed, as Conan is given it. */
  readonly sealedToken?: boolean;
  /** The handler reads the request's stream itself; nothing is parsed. */
  readonly rawBody?: boolean;
  /** The same for callers without a token, where the small limit of the server will not do. */
  readonly anonymousBodyLimit?: number;
  /** Refuses larger bodies; the server's general limit otherwise. */
  readonly bodyLimit?: number;
  handle(call: Call<Admitted, ParamsOf<M>, Subject>): Promise<unknown> | unknown;
}

/** An endpoint whose type arguments no longer matter to the one who mounts it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of endpoints mixes parameter and subject types
export type AnyEndpoint<Caller> = Endpoint<Caller, any, any, any>;

/** The path parameters of a route's path, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z_]+)/g)].map((match) => match[1] as string);
}
