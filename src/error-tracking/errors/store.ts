import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { ErrorRow, ErrorStatus, EventRow, ValueRow } from './tables.ts';

const byFingerprint = statement((db, param: Param<{ project: number; fingerprint: string }>) =>
  db
    .selectFrom('error_tracking_errors')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('fingerprint', '=', param('fingerprint')),
);

export function findError(db: Reader, project: number, fingerprint: string): Promise<ErrorRow | undefined> {
  return byFingerprint.first(db, { project, fingerprint });
}

const counts = statement((db, param: Param<{ errors: readonly number[]; unit: number; since: number }>) =>
  db
    .selectFrom('error_tracking_counts')
    .select(['error_id', 'starts_at', 'count'])
    .where('error_id', 'in', param.ids('errors'))
    .where('unit', '=', param('unit'))
    .where('starts_at', '>=', param('since')),
);

/** Returns the hourly or daily event counts of errors since a time. */
export function countsOf(db: Reader, errors: readonly number[], unit: number, since: number) {
  return counts.all(db, { errors, unit, since });
}

const shownValues = 20;

/** Lists the latest releases or environments of an error. */
export function valuesOf(db: Reader, error: number, name: ValueRow['name']): Promise<ValueRow[]> {
  return db
    .selectFrom('error_tracking_values')
    .selectAll()
    .where('error_id', '=', error)
    .where('name', '=', name)
    .orderBy('last_seen', 'desc')
    .orderBy('value')
    .limit(shownValues)
    .execute();
}

export async function setStatus(trx: Writer, id: number, status: ErrorStatus): Promise<ErrorRow> {
  return trx
    .updateTable('error_tracking_errors')
    .set({ status })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Links an issue to an error unless it already has one. */
export async function linkIssue(trx: Writer, id: number, issue: number): Promise<void> {
  await trx
    .updateTable('error_tracking_errors')
    .set({ issue_id: issue })
    .where('id', '=', id)
    .where('issue_id', 'is', null)
    .execute();
}

export function listEvents(
  db: Reader,
  error: number,
  sort: 'asc' | 'desc',
  slice: Slice,
): Promise<{ rows: EventRow[]; total: number }> {
  const events = db
    .selectFrom('error_tracking_events')
    .selectAll()
    .where('error_id', '=', error)
    .orderBy('occurred_at', sort)
    .orderBy('id', sort);
  return fetchPage(db, events, slice);
}

const latest = statement((db, param: Param<{ error: number }>) =>
  db
    .selectFrom('error_tracking_events')
    .selectAll()
    .where('error_id', '=', param('error'))
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

export function latestEvent(db: Reader, error: number): Promise<EventRow | undefined> {
  return latest.first(db, { error });
}

const byId = statement((db, param: Param<{ project: number; error: number; event: string }>) =>
  db
    .selectFrom('error_tracking_events')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('event_id', '=', param('event'))
    .where('error_id', '=', param('error')),
);

export function findEvent(db: Reader, error: ErrorRow, event: string): Promise<EventRow | undefined> {
  return byId.first(db, { project: error.project_id, error: error.id, event });
}
