import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type LargeBodyOptions, readLargeBody, refuseAnnounced } from '../../../platform/http/bodies/large-body.ts';
import { HttpError } from '../../../platform/http/errors.ts';

/** Parameters of a request whose body may be hundreds of megabytes. */
export type BodyFields = Readonly<Record<string, unknown>>;

/** A request that writes files. */
export interface Writing {
  readonly caller: SignedInActor;
  readonly subject: ProjectSubject;
  readonly request: FastifyRequest;
  readonly sent: BodyFields;
}

/**
 * Rate-limits large requests per user. Requests of unknown length count at once, others when they turn out to be large.
 * A request rejected for its size is refunded.
 */
class LargeRequestCount {
  readonly #services: Services;
  readonly #user: number;
  #counted = false;

  constructor(services: Services, user: number) {
    this.#services = services;
    this.#user = user;
  }

  /** Counts a request that is or may be large; otherwise returns the hook that counts it once it grows. */
  async begin({ headers }: FastifyRequest): Promise<Pick<LargeBodyOptions, 'large'>> {
    const from = this.#services.config.largeRequest;
    const { 'content-length': length, 'transfer-encoding': encoding } = headers;
    const unknown = length === undefined && encoding !== undefined;
    if (!unknown && Number(length ?? 0) <= from) return { large: { from, allow: () => this.#spend() } };
    await this.#spend();
    return {};
  }

  async refund(): Promise<void> {
    const { config, limits } = this.#services;
    if (this.#counted) await limits.refund('large_request', this.#user, config.largeRequestRate);
    this.#counted = false;
  }

  async #spend(): Promise<void> {
    const { config, limits } = this.#services;
    await limits.spend('large_request', this.#user, config.largeRequestRate);
    this.#counted = true;
  }
}

/** Reads the body of a request that writes files and passes it to `work`. Spooled parts are deleted afterwards. */
export async function withLargeBody<T>(
  services: Services,
  { caller, subject, request, sent }: Writing,
  work: (fields: BodyFields) => Promise<T>,
): Promise<T> {
  const { config } = services;
  const spool = join(config.data, 'tmp', 'uploads');
  // Users without push access get a proper error for their request, but may not upload hundreds of megabytes first.
  const limit = subject.can('push_code') ? config.maxCommitBody : Math.min(config.maxBody, config.maxCommitBody);
  refuseAnnounced(request, limit);
  const count = new LargeRequestCount(services, caller.user.id);
  const counting = await count.begin(request);
  const body = await readLargeBody(request, { limit, spool, ...counting }).catch(async (error: unknown) => {
    if (error instanceof HttpError && error.status === 413) await count.refund();
    throw error;
  });
  try {
    // Path parameters take precedence over the body.
    return await work({ ...sent, ...body.fields, ...(request.params as BodyFields) });
  } finally {
    await body.remove();
  }
}
