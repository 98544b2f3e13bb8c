import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { Frame, TrackedEvent } from '../events/public.ts';
import type { Frequency } from './frequency.ts';
import type {
  ErrorEventDetailEntity,
  ErrorEventEntity,
  StackEntryEntity,
  TrackedErrorDetailEntity,
  TrackedErrorEntity,
} from './schema.ts';
import type { Sources } from './sources/find.ts';
import type { ErrorRow, EventRow, ValueRow } from './tables.ts';

/** Presents an error in a list. */
export function presentError(row: ErrorRow, projectUrl: string, frequency: Frequency): TrackedErrorEntity {
  return {
    id: row.fingerprint,
    title: row.title,
    message: row.message,
    culprit: row.culprit,
    type: null,
    level: row.level,
    platform: row.platform,
    status: row.status,
    count: row.event_count,
    user_count: row.user_count,
    first_seen: instant(row.first_seen),
    last_seen: instant(row.last_seen),
    frequency,
    short_id: null,
    project_id: row.project_id,
    project_name: null,
    project_slug: null,
    external_url: `${projectUrl}/-/error_tracking/${row.fingerprint}/details`,
  };
}

/** Additional data of a single error. */
export interface Details {
  readonly hours: Frequency;
  readonly days: Frequency;
  readonly releases: readonly ValueRow[];
  readonly environments: readonly ValueRow[];
  /** The commit of the first release. */
  readonly commit: string | undefined;
  readonly issueUrl: string | null;
}

export function presentDetail(row: ErrorRow, projectUrl: string, details: Details): TrackedErrorDetailEntity {
  const { commit } = details;
  return {
    ...presentError(row, projectUrl, details.hours),
    external_base_url: projectUrl,
    integrated: true,
    tags: { level: row.level, logger: row.logger },
    first_release_version: row.first_release,
    last_release_version: row.last_release,
    gitlab_commit: commit ?? null,
    gitlab_commit_path: commit === undefined ? null : `${new URL(projectUrl).pathname}/-/commit/${commit}`,
    gitlab_issue: details.issueUrl,
    daily_frequency: details.days,
    kept_events: row.kept_events,
    releases: details.releases.map(presentValue),
    environments: details.environments.map(presentValue),
  };
}

function presentValue({ value, count, first_seen, last_seen }: ValueRow) {
  return { name: value, count, first_seen: instant(first_seen), last_seen: instant(last_seen) };
}

/** Presents an event in a list. */
export function presentEvent(row: EventRow, error: ErrorRow): ErrorEventEntity {
  return {
    id: row.event_id,
    error_id: error.fingerprint,
    timestamp: instant(row.occurred_at),
    date_received: instant(row.received_at),
    level: row.level,
    message: row.message,
    environment: row.environment,
    release: row.release,
  };
}

/** Presents a single event with all details. */
export function presentWholeEvent(
  row: EventRow,
  error: ErrorRow,
  event: TrackedEvent,
  sources: Sources,
): ErrorEventDetailEntity {
  const { platform, logger, server_name, transaction, dist, tags, user, request, contexts, extra, modules, sdk } =
    event;
  return {
    ...presentEvent(row, error),
    message: event.message?.formatted ?? row.message,
    platform,
    logger,
    server_name,
    transaction,
    dist,
    exceptions: event.exceptions.map(({ type, value, module, mechanism, frames }) => ({
      type,
      value,
      module,
      handled: mechanism?.handled ?? null,
      stack_trace_entries: presentStack(frames, sources),
    })),
    stack_trace_entries: presentStack(event.frames, sources),
    breadcrumbs: event.breadcrumbs.map((one) => ({ ...one, timestamp: instantOrNull(one.timestamp) })),
    tags,
    user,
    request,
    contexts,
    extra,
    modules,
    sdk,
  };
}

/** Presents a stack trace, oldest call first. */
export function presentStack(frames: readonly Frame[], sources: Sources): StackEntryEntity[] {
  return frames.map((frame) => ({
    lineNo: frame.lineno,
    colNo: frame.colno,
    context: contextOf(frame),
    filename: frame.filename,
    abs_path: frame.abs_path,
    module: frame.module,
    function: frame.function,
    in_app: frame.in_app,
    source_url: sources.urlOf(frame),
  }));
}

/** Source lines around a call with their line numbers; empty if the line number of the call is unknown. */
export function contextOf(frame: Pick<Frame, 'lineno' | 'pre_context' | 'context_line' | 'post_context'>) {
  const { lineno, pre_context, context_line, post_context } = frame;
  if (lineno === null) return [];
  const lines = [...pre_context, context_line, ...post_context];
  const first = lineno - pre_context.length;
  return lines.flatMap((line, index): [number, string][] => (line === null ? [] : [[first + index, line]]));
}
