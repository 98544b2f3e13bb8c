type Details = Error & { code?: unknown; errcode?: unknown };

/** Whether a statement named a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code }: Details = error;
  return code === '42P01' || (code === 'ERR_SQLITE_ERROR' && error.message.startsWith('no such table'));
}

/** SQLite: another process holds the lock. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode }: Details = error;
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && (errcode & 0xff) === 5;
}

/** PostgreSQL: the transaction lost against another one, and may succeed when run again. */
export function isSerializationFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code }: Details = error;
  return code === '40001' || code === '40P01';
}

/** PostgreSQL: a migration has changed the columns of a prepared statement; its connection keeps failing it. */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code }: Details = error;
  return code === '0A000' && error.message.includes('cached plan');
}

/** Another transaction was in the way: the same may succeed when run again. */
export function isContention(error: unknown): boolean {
  return isBusy(error) || isSerializationFailure(error) || isStalePlan(error) || isLockTimeout(error);
}

/** PostgreSQL: a lock was not to be had in time. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
