import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const AwardEmoji = entity('AwardEmoji', {
  id: Type.Integer(),
  name: Type.String(),
  user: BasicUser,
  created_at: timestamp(),
  updated_at: timestamp(),
  awardable_id: Type.Integer(),
  awardable_type: Type.String(),
  url: nullable(Type.String()),
});
export type AwardEntity = Static<typeof AwardEmoji>;

export const newAward = { name: required(param.string({ description: 'Name of the emoji without colons' })) };
export const awardId = { award_id: required(param.integer()) };

/** Number of reactions to a note with one emoji, and the ID of the caller's own. */
export const NoteReaction = entity('NoteReaction', {
  note_id: Type.Integer(),
  name: Type.String(),
  count: Type.Integer(),
  own_award_id: nullable(Type.Integer()),
});
export type NoteReactionEntity = Static<typeof NoteReaction>;

export const maxNotesCounted = 200;
export const notesCounted = {
  note_ids: required(param.integers({ description: `IDs of the notes, at most ${maxNotesCounted}` })),
};
