/**
 * The interface for areas that have routes for emoji reactions: parameters, responses and operations. The routes build
 * an `Awardable` for the caller: `awardableOf(noteable)` for a noteable, `awardableNote` for a note, both from the
 * public module of the notes. Callers without read access get `404 Award Emoji Not Found`.
 */
export {
  AwardEmoji,
  type AwardEntity,
  awardId,
  maxNotesCounted,
  NoteReaction,
  type NoteReactionEntity,
  newAward,
  notesCounted,
} from './schema.ts';
export {
  countNoteReactions,
  createAward,
  deleteAward,
  ensureAward,
  getAward,
  listAwards,
  toggleAward,
} from './service.ts';
export { copyAwards, deleteAwardsOf, deleteAwardsOfNotes, type Votes, votesOn } from './store.ts';
