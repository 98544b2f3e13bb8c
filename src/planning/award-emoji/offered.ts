/**
 * What an area needs for routes that react to its things: parameters, answers, and what is done. Each makes an
 * `Awardable` for the caller: of a thing with notes by `awardableOf(noteable)`, of a note by `awardableNote`, both of the
 * notes' public module. Whoever may not read the thing is told `404 Award Emoji Not Found`.
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
export { awardOnce, createAward, deleteAward, getAward, listAwards, reactionsTo, toggleAward } from './service.ts';
export { copyAwards, deleteAwardsOf, deleteAwardsOfNotes, type Votes, votesOn } from './store.ts';
