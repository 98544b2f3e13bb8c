import { Busy } from '../../platform/concurrency.ts';
import { GitRefusal } from '../transport/public.ts';

/** An error response to an LFS client. */
export class LfsRefusal extends Error {
  override readonly name = 'LfsRefusal';
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.extra = extra;
  }
}

const texts: Readonly<Record<number, string>> = {
  403: 'Access forbidden. Check your access level.',
  404: 'Not found.',
};

/** Converts an access error into an LFS response. */
export function asLfsRefusal(error: unknown): LfsRefusal | undefined {
  if (error instanceof LfsRefusal) return error;
  if (error instanceof GitRefusal) return new LfsRefusal(error.status, texts[error.status] ?? error.message);
  if (error instanceof Busy) return new LfsRefusal(503, 'Too many concurrent sign-ins. Retry later.');
  return undefined;
}
