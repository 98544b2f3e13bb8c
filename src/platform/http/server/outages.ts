import { GitError } from '../../git/process/errors.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { HttpError } from '../errors.ts';

/** The machine lacks something that the server needs: reported to the caller, logged, and worth a retry. */
export class Outage extends HttpError {
  constructor(reason: string) {
    super(503, { message: `503 Service Unavailable - ${reason}` }, { 'retry-after': '60' });
  }
}

const fullDisk = 'The disk is full';
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: fullDisk,
  EDQUOT: fullDisk,
  EROFS: 'The disk cannot be written to',
  EIO: 'The disk fails',
  EMFILE: 'Too many files are open',
  ENFILE: 'Too many files are open',
};

// The primary result codes of SQLite, and the error classes of PostgreSQL, that indicate problems below them.
const sqliteReasons: Readonly<Record<number, string>> = {
  8: 'The database cannot be written to',
  10: 'The disk of the database fails',
  11: 'The database is damaged',
  13: fullDisk,
  14: 'The database cannot be opened',
  26: 'The database is damaged',
};
const postgresReasons: Readonly<Record<string, string>> = {
  '08': 'The database does not answer',
  '53': 'The database has no room left',
  '57': 'The database is shutting down',
  '58': 'The disk of the database fails',
  XX: 'The database is damaged',
};

type Details = Error & { code?: unknown; errcode?: unknown };

/** The outage behind a failure, if that is what caused it. */
export function outageOf(error: unknown): Outage | undefined {
  const reason = outageReason(error);
  return reason === undefined ? undefined : new Outage(reason);
}

/** The same as a sentence. */
export function outageReason(error: unknown): string | undefined {
  if (error instanceof GitError) return gitReason(error);
  if (error instanceof StorageUnavailable) return 'The object storage does not answer';
  if (!(error instanceof Error)) return undefined;
  const { code, errcode }: Details = error;
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') return sqliteReasons[errcode & 0xff];
  if (typeof code !== 'string') return undefined;
  if (code === 'ECONNREFUSED' || code === 'ENETUNREACH') return 'The database does not answer';
  return reasons[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? postgresReasons[code.slice(0, 2)] : undefined);
}

function gitReason({ unavailable, stderr, aborted }: GitError): string | undefined {
  if (aborted) return undefined;
  if (unavailable) return 'git could not be started';
  if (/No space left on device|Disk quota exceeded/.test(stderr)) return fullDisk;
  return /Read-only file system/.test(stderr) ? reasons.EROFS : undefined;
}
