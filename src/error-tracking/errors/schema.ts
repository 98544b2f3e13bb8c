import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { errorList } from './list.ts';
import { errorStatuses } from './tables.ts';

/** Pairs of period start (Unix seconds) and number of events. */
const Frequency = Type.Array(Type.Array(Type.Integer()));

const listed = {
  id: Type.String({ description: 'Decimal number' }),
  title: Type.String(),
  message: Type.String(),
  culprit: Type.String(),
  type: Type.Null(),
  level: Type.String(),
  platform: Type.String(),
  status: Type.String(),
  count: Type.Integer(),
  user_count: Type.Integer(),
  first_seen: timestamp(),
  last_seen: timestamp(),
  frequency: Frequency,
  short_id: Type.Null(),
  project_id: Type.Integer(),
  project_name: Type.Null(),
  project_slug: Type.Null(),
  external_url: Type.String(),
};

export const TrackedError = entity('TrackedError', listed);
export type TrackedErrorEntity = Static<typeof TrackedError>;

const Value = Type.Object({
  name: Type.String(),
  count: Type.Integer(),
  first_seen: timestamp(),
  last_seen: timestamp(),
});

export const TrackedErrorDetail = entity('TrackedErrorDetail', {
  ...listed,
  external_base_url: Type.String(),
  integrated: Type.Boolean(),
  tags: Type.Object({ level: Type.String(), logger: nullable(Type.String()) }),
  first_release_version: nullable(Type.String()),
  last_release_version: nullable(Type.String()),
  gitlab_commit: nullable(Type.String()),
  gitlab_commit_path: nullable(Type.String()),
  gitlab_issue: nullable(Type.String()),
  daily_frequency: Frequency,
  kept_events: Type.Integer(),
  releases: Type.Array(Value),
  environments: Type.Array(Value),
  closed_issue_iid: Type.Optional(nullable(Type.Integer())),
});
export type TrackedErrorDetailEntity = Static<typeof TrackedErrorDetail>;

const StackEntry = Type.Object({
  lineNo: nullable(Type.Integer()),
  colNo: nullable(Type.Integer()),
  context: Type.Array(Type.Array(Type.Any())),
  filename: nullable(Type.String()),
  abs_path: nullable(Type.String()),
  module: nullable(Type.String()),
  function: nullable(Type.String()),
  in_app: Type.Boolean(),
  source_url: nullable(Type.String()),
});
export type StackEntryEntity = Static<typeof StackEntry>;

export const ErrorStackTrace = entity('ErrorStackTrace', {
  issue_id: Type.String(),
  event_id: Type.String(),
  date_received: timestamp(),
  stack_trace_entries: Type.Array(StackEntry),
});
export type ErrorStackTraceEntity = Static<typeof ErrorStackTrace>;

const event = {
  id: Type.String({ description: '32 hexadecimal digits' }),
  error_id: Type.String(),
  timestamp: timestamp(),
  date_received: timestamp(),
  level: Type.String(),
  message: Type.String(),
  environment: Type.String(),
  release: nullable(Type.String()),
};

export const ErrorEvent = entity('ErrorEvent', event);
export type ErrorEventEntity = Static<typeof ErrorEvent>;

const Exception = Type.Object({
  type: nullable(Type.String()),
  value: nullable(Type.String()),
  module: nullable(Type.String()),
  handled: nullable(Type.Boolean()),
  stack_trace_entries: Type.Array(StackEntry),
});

const Breadcrumb = Type.Object({
  timestamp: nullable(timestamp()),
  type: nullable(Type.String()),
  category: nullable(Type.String()),
  level: nullable(Type.String()),
  message: nullable(Type.String()),
  data: Type.Any(),
});

export const ErrorEventDetail = entity('ErrorEventDetail', {
  ...event,
  platform: Type.String(),
  logger: nullable(Type.String()),
  server_name: nullable(Type.String()),
  transaction: nullable(Type.String()),
  dist: nullable(Type.String()),
  exceptions: Type.Array(Exception),
  stack_trace_entries: Type.Array(StackEntry),
  breadcrumbs: Type.Array(Breadcrumb),
  tags: Type.Record(Type.String(), Type.String()),
  user: Type.Any(),
  request: Type.Any(),
  contexts: Type.Any(),
  extra: Type.Any(),
  modules: Type.Any(),
  sdk: Type.Object({ name: nullable(Type.String()), version: nullable(Type.String()) }),
});
export type ErrorEventDetailEntity = Static<typeof ErrorEventDetail>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const sorts = ['last_seen', 'first_seen', 'frequency'] as const satisfies (keyof typeof errorList.orders)[];

export const list = {
  ...project,
  status: errorList.params.status,
  sort: withDefault(param.oneOf(sorts), 'last_seen'),
  search: errorList.params.search,
  pagination: param.oneOf(['legacy', 'keyset']),
  cursor: param.string(),
};
export const oneError = { ...project, error_id: required(param.string()) };
export const change = { ...oneError, status: required(param.oneOf(errorStatuses)) };
export const events = { ...oneError, sort: withDefault(param.oneOf(['asc', 'desc']), 'desc') };
export const oneEvent = { ...oneError, event_id: required(param.string()) };
