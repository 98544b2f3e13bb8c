import { GitRefusal } from '../../../code/transport/public.ts';
import { Busy } from '../../../platform/concurrency.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { FileMismatch, FileTooLarge } from '../../../platform/storage/storage.ts';

const codes = {
  BLOB_UNKNOWN: [404, 'blob unknown to registry'],
  BLOB_UPLOAD_INVALID: [400, 'blob upload invalid'],
  BLOB_UPLOAD_UNKNOWN: [404, 'blob upload unknown to registry'],
  DENIED: [403, 'requested access to the resource is denied'],
  DIGEST_INVALID: [400, 'provided digest did not match uploaded content'],
  MANIFEST_BLOB_UNKNOWN: [404, 'manifest references a manifest or blob unknown to registry'],
  MANIFEST_INVALID: [400, 'manifest invalid'],
  MANIFEST_REFERENCED_IN_LIST: [409, 'manifest referenced by a manifest list'],
  MANIFEST_UNKNOWN: [404, 'manifest unknown to registry'],
  NAME_INVALID: [400, 'invalid repository name'],
  NAME_UNKNOWN: [404, 'repository name not known to registry'],
  PAGINATION_NUMBER_INVALID: [400, 'invalid number of results requested'],
  RANGE_INVALID: [416, 'invalid content range'],
  SIZE_INVALID: [413, 'the content is too large'],
  TAG_INVALID: [400, 'manifest tag did not match URI'],
  TOOMANYREQUESTS: [429, 'too many requests'],
  UNAUTHORIZED: [401, 'authentication required'],
  UNAVAILABLE: [503, 'the registry is busy'],
  UNSUPPORTED: [405, 'the operation is unsupported'],
} as const;

export type RefusalCode = keyof typeof codes;

interface Options {
  readonly message?: string;
  readonly status?: number;
  readonly detail?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response in the format of the distribution protocol. */
export class RegistryRefusal extends HttpError {
  constructor(code: RefusalCode, { message, status, detail, headers }: Options = {}) {
    const [defaultStatus, defaultMessage] = codes[code];
    const error = { code, message: message ?? defaultMessage, ...(detail === undefined ? {} : { detail }) };
    super(status ?? defaultStatus, { errors: [error] }, headers);
  }
}

/** Converts an error to the protocol's format; undefined for unexpected errors. */
export function asRegistryRefusal(error: unknown): RegistryRefusal | undefined {
  if (error instanceof RegistryRefusal) return error;
  if (error instanceof FileMismatch) return new RegistryRefusal('DIGEST_INVALID');
  if (error instanceof FileTooLarge) return new RegistryRefusal('SIZE_INVALID');
  if (error instanceof Busy) return new RegistryRefusal('UNAVAILABLE', { headers: { 'retry-after': '5' } });
  if (error instanceof HttpError && error.status === 429) {
    const { 'content-type': _, ...headers } = error.headers;
    return new RegistryRefusal('TOOMANYREQUESTS', { headers });
  }
  if (!(error instanceof GitRefusal)) return undefined;
  const code = byStatus[error.status] ?? 'DENIED';
  return new RegistryRefusal(code, { message: error.message, status: error.status });
}

const byStatus: Readonly<Record<number, RefusalCode>> = {
  401: 'UNAUTHORIZED',
  403: 'DENIED',
  429: 'TOOMANYREQUESTS',
  503: 'UNAVAILABLE',
};
