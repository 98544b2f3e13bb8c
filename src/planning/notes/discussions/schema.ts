import Type, { type Static } from 'typebox';
import { exactlyOneOf, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { Note, NoteCommands, newNote } from '../schema.ts';

export const Discussion = entity('Discussion', {
  id: Type.String(),
  individual_note: Type.Boolean(),
  notes: Type.Array(Note),
});
export type DiscussionEntity = Static<typeof Discussion>;

/** Responses of routes that create a thread or reply to one; their handlers use `notes.noteResponse`. */
export const threadResponses = { 201: Discussion, 202: NoteCommands };
export const replyResponses = { 201: Note, 202: NoteCommands };

const line = {
  line_code: param.string(),
  type: param.string(),
  old_line: param.integer(),
  new_line: param.integer(),
};

/** Position of a thread in a diff. */
export const position = {
  base_sha: required(param.string()),
  start_sha: required(param.string()),
  head_sha: required(param.string()),
  position_type: required(param.oneOf(['text', 'image', 'file'])),
  new_path: param.string(),
  new_line: param.integer(),
  old_path: param.string(),
  old_line: param.integer(),
  width: param.integer(),
  height: param.integer(),
  x: param.integer(),
  y: param.integer(),
  line_range: param.hash({ start: param.hash(line), end: param.hash(line) }),
};
export type PositionParams = ParamsOf<typeof position>;

export const discussionId = { discussion_id: required(param.string({ description: 'Forty hexadecimal digits' })) };
export const newThread = newNote;
export const newReply = { body: newNote.body, created_at: newNote.created_at };
export const resolution = { resolved: required(param.boolean()) };
export const replyChange = { body: param.string(), resolved: param.boolean() };
export const replyChangeRule = exactlyOneOf('body', 'resolved');

export type NewThreadParams = ParamsOf<typeof newThread>;
export type NewReplyParams = ParamsOf<typeof newReply>;
export type ReplyChangeParams = ParamsOf<typeof replyChange>;
