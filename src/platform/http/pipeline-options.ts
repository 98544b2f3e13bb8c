import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MultipartOptions } from './bodies/multipart.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** What the pipeline needs to know of the world around it. */
export interface PipelineOptions<Caller> extends MultipartOptions {
  /** Token to caller, with its state and scope checked for this endpoint. */
  identify(
    request: FastifyRequest,
    sent: Readonly<Record<string, unknown>>,
    endpoint: AnyEndpoint<Caller>,
  ): Promise<Caller> | Caller;
  /** Whether a caller has brought nothing that says who it is. */
  isAnonymous(caller: Caller): boolean;
  /** The largest body that such a caller may send. */
  readonly anonymousBodyLimit: number;
  /** The external address that links start with. */
  readonly externalUrl: string;
  /** Runs after the caller is known and before anything is done for them: the request throttle. */
  throttle?(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** Runs after it: refuses what is not to be done at the moment, whoever asks. */
  admit?(caller: Caller, request: FastifyRequest): Promise<void> | void;
}
