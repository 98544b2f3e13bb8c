import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { day, hour } from '../frequency.ts';
import type { ErrorDelta } from './merge.ts';

const rowsPerStatement = 500;

/** Processes a list in parts, because statements have a limited number of parameters. */
async function inParts<T>(rows: readonly T[], work: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) await work(rows.slice(at, at + rowsPerStatement));
}

/** Serializes recording, so that duplicates are detected across transactions. */
export function lockRecording(trx: Writer): Promise<void> {
  return acquireLock(trx, 'error-tracking-recording');
}

const eventIds = statement((db, param: Param<{ project: number; ids: readonly string[] }>) =>
  db
    .selectFrom('error_tracking_events')
    .select('event_id')
    .where('project_id', '=', param('project'))
    .where('event_id', 'in', param.texts('ids')),
);

/** Returns which of these events a project already has. */
export async function knownEvents(db: Reader, project: number, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await eventIds.all(db, { project, ids })).map((row) => row.event_id));
}

const errorIds = statement((db, param: Param<{ project: number; fingerprints: readonly string[] }>) =>
  db
    .selectFrom('error_tracking_errors')
    .select(['id', 'fingerprint'])
    .where('project_id', '=', param('project'))
    .where('fingerprint', 'in', param.texts('fingerprints')),
);

/** Returns the row IDs of existing errors by fingerprint. */
export async function knownErrors(
  db: Reader,
  project: number,
  fingerprints: readonly string[],
): Promise<Map<string, number>> {
  const rows = await errorIds.all(db, { project, fingerprints });
  return new Map(rows.map(({ fingerprint, id }) => [fingerprint, id]));
}

const recent = statement((db, param: Param<{ project: number; since: number; limit: number }>) =>
  db
    .selectFrom(
      db
        .selectFrom('error_tracking_errors')
        .select('id')
        .where('project_id', '=', param('project'))
        .where('created_at', '>', param('since'))
        .limit(param('limit'))
        .as('some'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
);

/** Counts the errors created in a project since a time, up to a limit. */
export async function countNewErrors(db: Reader, project: number, since: number, limit: number): Promise<number> {
  return Number((await recent.first(db, { project, since, limit }))?.count ?? 0);
}

const affected = statement((db, param: Param<{ errors: readonly number[]; identities: readonly string[] }>) =>
  db
    .selectFrom('error_tracking_users')
    .select(['error_id', 'identity'])
    .where('error_id', 'in', param.ids('errors'))
    .where('identity', 'in', param.texts('identities')),
);

/** Returns which of these users are already counted for which of these errors, as `<error ID> <digest>`. */
export async function knownUsers(
  db: Reader,
  errors: readonly number[],
  identities: readonly string[],
): Promise<Set<string>> {
  if (errors.length === 0 || identities.length === 0) return new Set();
  const rows = await affected.all(db, { errors, identities });
  return new Set(rows.map(({ error_id, identity }) => `${error_id} ${identity}`));
}

/** Inserts or updates errors and returns their IDs. Resolved errors are reopened. */
export async function addToErrors(
  trx: Writer,
  deltas: readonly (ErrorDelta & { readonly newUsers: number })[],
  now: number,
): Promise<Map<ErrorDelta, number>> {
  const ids = new Map<string, number>();
  await inParts(deltas, async (part) => {
    const rows = await trx
      .insertInto('error_tracking_errors')
      .values(
        part.map(({ projectId, fingerprint, events, earliest, latest, newUsers }) => ({
          project_id: projectId,
          fingerprint,
          grouping_version: latest.grouping_version,
          title: latest.title,
          message: latest.message,
          culprit: latest.culprit,
          platform: latest.platform,
          level: latest.level,
          logger: latest.logger,
          first_seen: earliest.occurred_at,
          last_seen: latest.occurred_at,
          first_release: earliest.release,
          last_release: latest.release,
          event_count: events.length,
          user_count: newUsers,
          kept_events: events.length,
          created_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(['project_id', 'fingerprint']).doUpdateSet(merged))
      .returning(['id', 'project_id', 'fingerprint'])
      .execute();
    for (const { id, project_id, fingerprint } of rows) ids.set(`${project_id} ${fingerprint}`, id);
  });
  return new Map(
    deltas.map((delta) => {
      const id = ids.get(`${delta.projectId} ${delta.fingerprint}`);
      if (id === undefined) throw new Error(`error ${delta.fingerprint} was not written`);
      return [delta, id];
    }),
  );
}

const own = (column: string) => sql.ref(`error_tracking_errors.${column}`);
const sent = (column: string) => sql.ref(`excluded.${column}`);
const sum = (column: string) => sql<number>`${own(column)} + ${sent(column)}`;
/** The column value of the later event. */
const later = <T>(column: string) =>
  sql<T>`case when ${sent('last_seen')} >= ${own('last_seen')} then ${sent(column)} else ${own(column)} end`;
const earlier = <T>(column: string) =>
  sql<T>`case when ${sent('first_seen')} < ${own('first_seen')} then ${sent(column)} else ${own(column)} end`;

const merged = {
  title: later<string>('title'),
  message: later<string>('message'),
  culprit: later<string>('culprit'),
  level: later<string>('level'),
  logger: later<string | null>('logger'),
  last_release: later<string | null>('last_release'),
  last_seen: later<number>('last_seen'),
  first_release: earlier<string | null>('first_release'),
  first_seen: earlier<number>('first_seen'),
  event_count: sum('event_count'),
  user_count: sum('user_count'),
  kept_events: sum('kept_events'),
  status: sql<'unresolved'>`case when ${own('status')} = 'resolved' then 'unresolved' else ${own('status')} end`,
};

type ErrorIds = readonly (readonly [delta: ErrorDelta, errorId: number])[];

/** Inserts the events and updates counts, users, releases and environments. */
export async function addDetails(trx: Writer, ids: ReadonlyMap<ErrorDelta, number>): Promise<void> {
  const all = [...ids];
  await addEvents(trx, all);
  await addCounts(trx, all);
  await addUsers(trx, all);
  await addValues(trx, all);
}

function addEvents(trx: Writer, all: ErrorIds): Promise<void> {
  const rows = all.flatMap(([{ projectId, events }, errorId]) =>
    events.map((event) => ({
      project_id: projectId,
      error_id: errorId,
      event_id: event.event_id,
      occurred_at: event.occurred_at,
      received_at: event.received_at,
      level: event.level,
      message: event.message,
      environment: event.environment,
      release: event.release,
      batch_id: event.batchId,
      position: event.position,
      length: event.length,
    })),
  );
  return inParts(rows, (part) => trx.insertInto('error_tracking_events').values(part).execute());
}

function addCounts(trx: Writer, all: ErrorIds): Promise<void> {
  const rows = all.flatMap(([{ hours, days }, error_id]) => [
    ...[...hours].map(([starts_at, count]) => ({ error_id, unit: hour, starts_at, count })),
    ...[...days].map(([starts_at, count]) => ({ error_id, unit: day, starts_at, count })),
  ]);
  const count = sql<number>`error_tracking_counts.count + excluded.count`;
  return inParts(rows, (part) =>
    trx
      .insertInto('error_tracking_counts')
      .values(part)
      .onConflict((conflict) => conflict.columns(['error_id', 'unit', 'starts_at']).doUpdateSet({ count }))
      .execute(),
  );
}

function addUsers(trx: Writer, all: ErrorIds): Promise<void> {
  const rows = all.flatMap(([{ identities }, error_id]) =>
    [...identities].map(([identity, last_seen]) => ({ error_id, identity, last_seen })),
  );
  const last_seen = greater('error_tracking_users.last_seen', 'excluded.last_seen');
  return inParts(rows, (part) =>
    trx
      .insertInto('error_tracking_users')
      .values(part)
      .onConflict((conflict) => conflict.columns(['error_id', 'identity']).doUpdateSet({ last_seen }))
      .execute(),
  );
}

function addValues(trx: Writer, all: ErrorIds): Promise<void> {
  const rows = all.flatMap(([{ values }, error_id]) =>
    values.map(({ name, value, count, firstSeen, lastSeen }) => {
      return { error_id, name, value, count, first_seen: firstSeen, last_seen: lastSeen };
    }),
  );
  const count = sql<number>`error_tracking_values.count + excluded.count`;
  const last_seen = greater('error_tracking_values.last_seen', 'excluded.last_seen');
  return inParts(rows, (part) =>
    trx
      .insertInto('error_tracking_values')
      .values(part)
      .onConflict((conflict) => conflict.columns(['error_id', 'name', 'value']).doUpdateSet({ count, last_seen }))
      .execute(),
  );
}

function greater(a: string, b: string) {
  return sql<number>`case when ${sql.ref(a)} > ${sql.ref(b)} then ${sql.ref(a)} else ${sql.ref(b)} end`;
}
