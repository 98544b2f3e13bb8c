import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import type { IssueEntity } from '../../planning/issues/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { checkOffset, cursorPage } from '../../platform/http/pages/cursor.ts';
import { type KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { mainFrames, readEvent, type TrackedEvent } from '../events/public.ts';
import { findSetting } from '../settings/public.ts';
import { day, firstPeriodStart, frequencyOf, hour } from './frequency.ts';
import { closeIssueOf, createIssueFrom, issueUrlOf } from './issues/service.ts';
import { errorList } from './list.ts';
import * as present from './present.ts';
import type {
  ErrorEventDetailEntity,
  ErrorEventEntity,
  ErrorStackTraceEntity,
  TrackedErrorDetailEntity,
  TrackedErrorEntity,
} from './schema.ts';
import { commitOfRelease, findSources } from './sources/find.ts';
import * as store from './store.ts';
import type { ErrorRow, ErrorStatus, EventRow } from './tables.ts';

const hours = 24;
const days = 30;

export interface ErrorList {
  readonly status: ErrorStatus;
  readonly sort: keyof typeof errorList.orders;
  readonly search?: string;
  readonly pagination?: 'legacy' | 'keyset';
  readonly cursor?: string;
}

async function requireTracking({ db }: Services, { project }: ProjectSubject): Promise<void> {
  const setting = await findSetting(db.read, project.id);
  if (setting?.active !== 1 || setting.integrated !== 1) throw BadRequest.plain('Error Tracking is not enabled');
}

export async function listTracked(
  services: Services,
  subject: ProjectSubject,
  { pagination, cursor, status, search, sort }: ErrorList,
  page: PageRequest,
): Promise<Page<TrackedErrorEntity> | KeysetPage<TrackedErrorEntity>> {
  await requireTracking(services, subject);
  const { read } = services.db;
  const scope = { project: subject.project.id };
  const filters = { status, search };
  const order = { by: sort, direction: 'desc' } as const;
  const keyset = errorList.keyset(order);
  if (pagination === 'keyset' && keyset) {
    const found = await cursorPage(keyset, cursor, (position) =>
      errorList.walk(read, scope, filters, keyset, position, page.perPage),
    );
    return found.map(await presenter(services, subject, found.items));
  }
  checkOffset(page, 'Error');
  const { rows, total } = await errorList.page(read, scope, filters, order, page);
  return new Page(rows, total).map(await presenter(services, subject, rows));
}

/** Returns a function that presents the rows of a page with their hourly counts, loaded in one query. */
async function presenter(services: Services, subject: ProjectSubject, rows: readonly ErrorRow[]) {
  const now = Date.now();
  const ids = rows.map(({ id }) => id);
  const counts = await store.countsOf(services.db.read, ids, hour, firstPeriodStart(hour, hours, now));
  const byError = Map.groupBy(counts, ({ error_id }) => error_id);
  const url = projectUrl(services, subject);
  return (row: ErrorRow) => present.presentError(row, url, frequencyOf(byError.get(row.id) ?? [], hour, hours, now));
}

async function requireError(services: Services, subject: ProjectSubject, fingerprint: string): Promise<ErrorRow> {
  await requireTracking(services, subject);
  const isNumber = /^\d{1,20}$/.test(fingerprint);
  const error = isNumber ? await store.findError(services.db.read, subject.project.id, fingerprint) : undefined;
  if (!error) throw new NotFound('Error');
  return error;
}

export async function getError(
  services: Services,
  subject: ProjectSubject,
  fingerprint: string,
): Promise<TrackedErrorDetailEntity> {
  return detailOf(services, subject, await requireError(services, subject, fingerprint));
}

async function detailOf(
  services: Services,
  subject: ProjectSubject,
  error: ErrorRow,
): Promise<TrackedErrorDetailEntity> {
  const { read } = services.db;
  const now = Date.now();
  const [inHours, inDays, releases, environments, commit, issueUrl] = await Promise.all([
    store.countsOf(read, [error.id], hour, firstPeriodStart(hour, hours, now)),
    store.countsOf(read, [error.id], day, firstPeriodStart(day, days, now)),
    store.valuesOf(read, error.id, 'release'),
    store.valuesOf(read, error.id, 'environment'),
    commitOfRelease(services, subject, error.first_release),
    issueUrlOf(services, subject, error),
  ]);
  return present.presentDetail(error, projectUrl(services, subject), {
    hours: frequencyOf(inHours, hour, hours, now),
    days: frequencyOf(inDays, day, days, now),
    releases,
    environments,
    commit: commit?.oid,
    issueUrl,
  });
}

/** Resolves, ignores or reopens an error. Resolving also closes the linked issue. */
export async function changeError(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  fingerprint: string,
  status: ErrorStatus,
): Promise<TrackedErrorDetailEntity> {
  const { id } = await requireError(services, subject, fingerprint);
  const { error, closed } = await services.db.write(async (trx) => {
    const changed = await store.setStatus(trx, id, status);
    const iid = status === 'resolved' ? await closeIssueOf(services, trx, caller, subject, changed) : null;
    return { error: changed, closed: iid };
  });
  return { ...(await detailOf(services, subject, error)), closed_issue_iid: closed };
}

/** Creates an issue from an error. */
export async function createIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  fingerprint: string,
): Promise<IssueEntity> {
  return createIssueFrom(services, caller, subject, await requireError(services, subject, fingerprint));
}

export async function listEvents(
  services: Services,
  subject: ProjectSubject,
  fingerprint: string,
  sort: 'asc' | 'desc',
  slice: Slice,
): Promise<Page<ErrorEventEntity>> {
  const error = await requireError(services, subject, fingerprint);
  const { rows, total } = await store.listEvents(services.db.read, error.id, sort, slice);
  return new Page(rows, total).map((row) => present.presentEvent(row, error));
}

export async function getEvent(
  services: Services,
  subject: ProjectSubject,
  fingerprint: string,
  eventId: string,
): Promise<ErrorEventDetailEntity> {
  const error = await requireError(services, subject, fingerprint);
  const row = await store.findEvent(services.db.read, error, eventId.toLowerCase().replaceAll('-', ''));
  const event = await wholeEvent(services, row);
  if (!row || !event) throw new NotFound('Event');
  const sources = await findSources(services, subject, framesOf(event), event.release);
  return present.presentWholeEvent(row, error, event, sources);
}

function framesOf(event: TrackedEvent) {
  return [...event.exceptions.flatMap(({ frames }) => frames), ...event.frames];
}

async function wholeEvent(services: Services, row: EventRow | undefined): Promise<TrackedEvent | undefined> {
  return row && readEvent(services, row);
}

/** Returns the stack trace of the latest event. */
export async function getStackTrace(
  services: Services,
  subject: ProjectSubject,
  fingerprint: string,
): Promise<ErrorStackTraceEntity> {
  const error = await requireError(services, subject, fingerprint);
  const row = await store.latestEvent(services.db.read, error.id);
  const event = await wholeEvent(services, row);
  if (!row || !event) throw new NotFound('Event');
  const frames = mainFrames(event);
  const sources = await findSources(services, subject, frames, event.release);
  return {
    issue_id: error.fingerprint,
    event_id: row.event_id,
    date_received: instant(row.received_at),
    stack_trace_entries: present.presentStack(frames, sources),
  };
}
