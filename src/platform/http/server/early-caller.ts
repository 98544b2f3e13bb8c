import { Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { AnyEndpoint } from '../endpoint.ts';
import { TooLarge } from '../errors.ts';
import type { PipelineOptions } from '../pipeline-options.ts';

/** What is known about a request before its body is read. */
interface Early {
  readonly caller: unknown;
  readonly anonymous: boolean;
  /** The maximum body size for this caller, decompressed. */
  readonly bodyLimit: number;
  /** Rejects a body that is larger. */
  refuse(): never;
}

declare module 'fastify' {
  interface FastifyRequest {
    early: Early | undefined;
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Identifies the caller from headers and query, before any of the body is read. A wrong token is rejected right away,
 * and anonymous callers may send only a little, so that nobody without a token can keep the server busy with large
 * bodies.
 */
export async function identifyEarly<Caller>(
  request: FastifyRequest,
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
): Promise<void> {
  if (endpoint.rawBody || !hasBody(request)) return;
  const sent = { ...(request.query as Record<string, unknown>), ...(request.params as Record<string, unknown>) };
  const caller = await world.identify(request, sent, endpoint);
  const routeLimit = request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY;
  const anonymous = world.isAnonymous(caller);
  const bodyLimit = anonymous
    ? Math.min(endpoint.anonymousBodyLimit ?? world.anonymousBodyLimit, routeLimit)
    : routeLimit;
  const refuse = (): never => {
    // A missing sign-in is reported first.
    endpoint.gate.before?.(caller);
    throw new TooLarge();
  };
  request.early = { caller, anonymous, bodyLimit, refuse };
  if (anonymous && Number(request.headers['content-length'] ?? 0) > bodyLimit) refuse();
}

/** Parameters that identify the caller. If the body has one, the caller is identified again. */
const credentials = ['private_token', 'access_token', 'bearer_token', 'job_token', 'token', 'sudo'] as const;

/** Identifies the caller after the body was read. */
export function identifyByBody<Caller>(
  request: FastifyRequest,
  sent: Readonly<Record<string, unknown>>,
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
): Promise<Caller> | Caller {
  const { early } = request;
  if (!early || credentials.some((name) => sent[name] !== undefined)) return world.identify(request, sent, endpoint);
  return early.caller as Caller;
}

/** For anonymous callers: a stream that fails once it exceeds their limit. */
export function limitedBody(request: FastifyRequest): Transform | undefined {
  const { early } = request;
  if (!early?.anonymous) return undefined;
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= early.bodyLimit) return done(null, chunk);
      try {
        early.refuse();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
