import type { FastifyRequest } from 'fastify';
import { PreconditionFailed } from '../errors.ts';

/** Refuses to go on when the caller says, by `If-Unmodified-Since`, that they saw the subject before it last changed. */
export function checkUnmodified(request: FastifyRequest, changedAt: number): void {
  const header = request.headers['if-unmodified-since'];
  const seen = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  if (!Number.isNaN(seen) && changedAt > seen) throw new PreconditionFailed();
}
