import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { notBlank, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { AwardEmoji } from '../award-emoji/public.ts';

/** The basic user with additional fields that older clients read; the e-mail address is the public one. */
const NoteAuthor = entity('NoteAuthor', {
  ...BasicUser.properties,
  created_at: timestamp(),
  email: nullable(Type.String()),
});

export const Note = entity('Note', {
  id: Type.Integer(),
  type: nullable(Type.String()),
  body: Type.String(),
  attachment: nullable(Type.String()),
  author: NoteAuthor,
  created_at: timestamp(),
  updated_at: timestamp(),
  system: Type.Boolean(),
  noteable_id: nullable(Type.Integer()),
  noteable_type: Type.String(),
  project_id: nullable(Type.Integer()),
  commit_id: Type.Optional(nullable(Type.String())),
  position: Type.Optional(Type.Unknown()),
  resolvable: Type.Boolean(),
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(nullable(BasicUser)),
  resolved_at: Type.Optional(nullable(timestamp())),
  suggestions: Type.Optional(Type.Array(Type.Unknown())),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  noteable_iid: nullable(Type.Integer()),
  commands_changes: Type.Record(Type.String(), Type.Unknown()),
});
/** Result of creating a note: the note, or an emoji reaction if the body was a single emoji. */
export const NoteOrAward = Type.Union([Note, AwardEmoji]);
/** Result of creating a note that consisted of quick actions only. */
export const NoteCommands = entity('NoteCommands', {
  commands_changes: Type.Record(Type.String(), Type.Unknown()),
  summary: Type.Array(Type.String()),
});
export type CommandsEntity = Static<typeof NoteCommands>;
/** Responses of routes that create a note; their handlers use `noteResponse`. */
export const newNoteResponses = { 201: NoteOrAward, 202: NoteCommands };
/** Responses of routes that update a note; their handlers use `noteResponse`. */
export const changedResponses = { 200: Note, 202: NoteCommands };
export type NoteEntity = Static<typeof Note>;

export const listParams = {
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  order_by: withDefault(param.oneOf(['created_at', 'updated_at']), 'created_at'),
  activity_filter: withDefault(param.oneOf(['all_notes', 'only_comments', 'only_activity']), 'all_notes'),
};
export const newNote = {
  body: required(param.string()),
  created_at: param.dateTime(),
  internal: param.boolean(),
  confidential: param.boolean(),
};
export const noteChange = { body: notBlank(param.string()), confidential: param.boolean() };
export const noteId = { note_id: required(param.integer()) };

export type NoteListParams = ParamsOf<typeof listParams>;
export type NewNoteParams = ParamsOf<typeof newNote>;
export type NoteChangeParams = ParamsOf<typeof noteChange>;
