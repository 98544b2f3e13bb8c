import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { readLargeBody } from '../../../platform/http/large-body.ts';

/** The parameters of a request whose body may be hundreds of megabytes. */
export type Fields = Readonly<Record<string, unknown>>;

/** A request that writes files. */
export interface Writing {
  readonly caller: SignedInActor;
  readonly subject: ProjectSubject;
  readonly request: FastifyRequest;
  readonly sent: Fields;
}

/**
 * Large requests, and those that do not say how large they are, are counted per user: at once, or when they turn out
 * to be large.
 */
async function limitLargeRequest({ config, limits }: Services, { user }: SignedInActor, request: FastifyRequest) {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const unknown = length === undefined && encoding !== undefined;
  const allow = () => limits.spend('large_request', user.id, config.largeRequestRate);
  if (!unknown && Number(length ?? 0) <= config.largeRequest) return { large: { from: config.largeRequest, allow } };
  await allow();
  return {};
}

/** Reads the body of a request that writes files, and lets `work` use it; what lies on disk is removed afterwards. */
export async function withLargeBody<T>(
  services: Services,
  { caller, subject, request, sent }: Writing,
  work: (fields: Fields) => Promise<T>,
): Promise<T> {
  const { config } = services;
  const counting = await limitLargeRequest(services, caller, request);
  const spool = join(config.data, 'tmp', 'uploads');
  // Whoever may push nothing is told so for what they sent, but not after hundreds of megabytes of it.
  const limit = subject.can('push_code') ? config.maxCommitBody : Math.min(config.maxBody, config.maxCommitBody);
  const body = await readLargeBody(request, { limit, spool, ...counting });
  try {
    // What stands in the address wins over the body.
    return await work({ ...sent, ...body.fields, ...(request.params as Fields) });
  } finally {
    await body.remove();
  }
}
