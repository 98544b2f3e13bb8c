import { Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { AnyEndpoint } from '../endpoint.ts';
import { TooLarge } from '../errors.ts';
import type { PipelineOptions } from '../pipeline-options.ts';

/** What is known of a request before its body is read. */
interface Early {
  readonly caller: unknown;
  readonly anonymous: boolean;
  /** How many bytes of body are read for this caller, as they are when unpacked. */
  readonly bodyLimit: number;
  /** Refuses a body that is larger. */
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
 * Finds out who is calling from the headers and the query, before a byte of the body is read: a wrong token is refused
 * there and then, and who brings none may send little, so that nobody without a token can keep the server busy with what
 * they send.
 */
export async function identifyEarly<Caller>(
  request: FastifyRequest,
  endpoint: AnyEndpoint<Caller>,
  world: PipelineOptions<Caller>,
): Promise<void> {
  if (endpoint.rawBody || !hasBody(request)) return;
  const sent = { ...(request.query as Record<string, unknown>), ...(request.params as Record<string, unknown>) };
  const caller = await world.identify(request, sent, endpoint);
  const most = request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY;
  const anonymous = world.isAnonymous(caller);
  const bodyLimit = anonymous ? Math.min(endpoint.anonymousBodyLimit ?? world.anonymousBodyLimit, most) : most;
  const refuse = (): never => {
    // Who has to sign in is told so first.
    endpoint.gate.before?.(caller);
    throw new TooLarge();
  };
  request.early = { caller, anonymous, bodyLimit, refuse };
  if (anonymous && Number(request.headers['content-length'] ?? 0) > bodyLimit) refuse();
}

/** Parameters that say who is calling. A body that has one is asked once more. */
const credentials = ['private_token', 'access_token', 'bearer_token', 'job_token', 'token', 'sudo'] as const;

/** Who is calling, now that the body is read as well. */
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

/** For callers without a token: a stream that breaks off once more has passed than they may send. */
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
