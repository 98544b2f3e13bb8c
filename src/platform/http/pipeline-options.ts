import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MultipartOptions } from './bodies/multipart.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** What the request pipeline needs from the rest of the server. */
export interface PipelineOptions<Caller> extends MultipartOptions {
  /** Resolves credentials to a caller, and checks their state and scopes for this endpoint. */
  identify(
    request: FastifyRequest,
    sent: Readonly<Record<string, unknown>>,
    endpoint: AnyEndpoint<Caller>,
  ): Promise<Caller> | Caller;
  /** Whether a caller sent no credentials. */
  isAnonymous(caller: Caller): boolean;
  /** The maximum body size for anonymous callers. */
  readonly anonymousBodyLimit: number;
  /** The base URL of links. */
  readonly externalUrl: string;
  /** Runs once the caller is known, before anything else is done: the request throttle. */
  throttle?(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** Runs after it: rejects what is not allowed at the moment, whoever calls. */
  admit?(caller: Caller, request: FastifyRequest): Promise<void> | void;
}
