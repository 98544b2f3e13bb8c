import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { readLargeBody } from '../../platform/http/large-body.ts';
import type { Services } from '../../platform/services.ts';

/** The parameters of a request whose body may be hundreds of megabytes. */
export type Fields = Readonly<Record<string, unknown>>;

/** Large requests, and those that do not say how large they are, are counted per user. */
async function limitLargeRequest({ config, limits }: Services, actor: Actor, request: FastifyRequest): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const unknown = length === undefined && encoding !== undefined;
  if (!unknown && Number(length ?? 0) <= config.largeRequest) return;
  await limits.spend('large_request', actor.user?.id ?? 0, config.largeRequestRate);
}

/** Reads the body of a request that writes files, and lets `work` use it; what lies on disk is removed afterwards. */
export async function withLargeBody<T>(
  services: Services,
  { caller, request, sent }: { readonly caller: Actor; readonly request: FastifyRequest; readonly sent: Fields },
  work: (fields: Fields) => Promise<T>,
): Promise<T> {
  await limitLargeRequest(services, caller, request);
  const spool = join(services.config.data, 'tmp', 'uploads');
  const body = await readLargeBody(request, { limit: services.config.maxCommitBody, spool });
  try {
    // What stands in the address wins over the body.
    return await work({ ...sent, ...body.fields, ...(request.params as Fields) });
  } finally {
    await body.remove();
  }
}
