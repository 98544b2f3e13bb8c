import type { FastifyRequest } from 'fastify';
import { PreconditionFailed } from '../errors.ts';

/** Rejects the request if, by `If-Unmodified-Since`, the caller has not seen the latest change of the subject. */
export function checkUnmodified(request: FastifyRequest, changedAt: number): void {
  const header = request.headers['if-unmodified-since'];
  const seen = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  if (!Number.isNaN(seen) && changedAt > seen) throw new PreconditionFailed();
}
