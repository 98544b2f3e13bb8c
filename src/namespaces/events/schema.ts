import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { notBlank, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { eventList } from './list.ts';

const PushPayload = entity('PushEventPayload', {
  commit_count: Type.Integer(),
  action: Type.String(),
  ref_type: Type.String(),
  commit_from: nullable(Type.String()),
  commit_to: nullable(Type.String()),
  ref: nullable(Type.String()),
  commit_title: nullable(Type.String()),
  ref_count: nullable(Type.Integer()),
});

const EventNote = entity('EventNote', {
  id: Type.Integer(),
  type: nullable(Type.String()),
  body: Type.String(),
  author: Type.Optional(BasicUser),
  created_at: timestamp(),
  updated_at: timestamp(),
  system: Type.Boolean(),
  noteable_id: nullable(Type.Integer()),
  noteable_type: Type.String(),
  project_id: nullable(Type.Integer()),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  noteable_iid: nullable(Type.Integer()),
  commands_changes: Type.Record(Type.String(), Type.Unknown()),
});
export type EventNoteEntity = Static<typeof EventNote>;

/** A contribution event. */
export const Event = entity('Event', {
  id: Type.Integer(),
  project_id: nullable(Type.Integer()),
  action_name: Type.String(),
  target_id: nullable(Type.Integer()),
  target_iid: nullable(Type.Integer()),
  target_type: nullable(Type.String()),
  author_id: nullable(Type.Integer()),
  target_title: nullable(Type.String()),
  created_at: timestamp(),
  note: Type.Optional(EventNote),
  author: Type.Optional(BasicUser),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  push_data: Type.Optional(PushPayload),
  author_username: nullable(Type.String()),
});
export type EventEntity = Static<typeof Event>;

const filters = {
  ...eventList.params,
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
};
export const ownFilters = { ...filters, scope: param.string({ description: '`all`: all events in your projects' }) };
export const projectFilters = {
  id: required(param.string({ description: 'ID or URL-encoded path' })),
  ...filters,
};
export const userFilters = { id: notBlank(required(param.string({ description: 'ID or username' }))), ...filters };
export const groupFilters = projectFilters;
export const oneUser = { id: userFilters.id };

/** Number of events per day. */
export const Calendar = Type.Record(Type.String(), Type.Integer());
