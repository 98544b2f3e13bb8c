import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type LargeBodyOptions, readLargeBody, refuseAnnounced } from '../../../platform/http/bodies/large-body.ts';
import { HttpError } from '../../../platform/http/errors.ts';

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
 * to be large. One that is refused for its size, whenever that shows, takes nothing from those that come after.
 */
class LargeRequestCount {
  readonly #services: Services;
  readonly #user: number;
  #counted = false;

  constructor(services: Services, user: number) {
    this.#services = services;
    this.#user = user;
  }

  /** Counts a request that is large or may be; for another, says how to when it grows. */
  async begin({ headers }: FastifyRequest): Promise<Pick<LargeBodyOptions, 'large'>> {
    const from = this.#services.config.largeRequest;
    const { 'content-length': length, 'transfer-encoding': encoding } = headers;
    const unknown = length === undefined && encoding !== undefined;
    if (!unknown && Number(length ?? 0) <= from) return { large: { from, allow: () => this.#spend() } };
    await this.#spend();
    return {};
  }

  async takeBack(): Promise<void> {
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

/** Reads the body of a request that writes files, and lets `work` use it; what lies on disk is removed afterwards. */
export async function withLargeBody<T>(
  services: Services,
  { caller, subject, request, sent }: Writing,
  work: (fields: Fields) => Promise<T>,
): Promise<T> {
  const { config } = services;
  const spool = join(config.data, 'tmp', 'uploads');
  // Whoever may push nothing is told so for what they sent, but not after hundreds of megabytes of it.
  const limit = subject.can('push_code') ? config.maxCommitBody : Math.min(config.maxBody, config.maxCommitBody);
  refuseAnnounced(request, limit);
  const count = new LargeRequestCount(services, caller.user.id);
  const counting = await count.begin(request);
  const body = await readLargeBody(request, { limit, spool, ...counting }).catch(async (error: unknown) => {
    if (error instanceof HttpError && error.status === 413) await count.takeBack();
    throw error;
  });
  try {
    // What stands in the address wins over the body.
    return await work({ ...sent, ...body.fields, ...(request.params as Fields) });
  } finally {
    await body.remove();
  }
}
