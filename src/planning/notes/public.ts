export { awardableNote, awardableOf, reactionsToNotes } from './awards.ts';
export { addCrossReference, type MentionSource } from './cross-references/store.ts';
export { diffNotesToMove, moveNotes, outdateNotes } from './diff-store.ts';
export * as discussions from './discussions/facade.ts';
export { notesOfThreads, setResolved } from './discussions/store.ts';
export * as notes from './facade.ts';
export type { Noteable } from './noteable.ts';
export type { SuggestionFinder } from './present.ts';
export type { NewNoteParams } from './schema.ts';
export {
  addSystemNote,
  commenterIds,
  copyNotes,
  deleteNotesOf,
  findNote,
  findNotes,
  hasCommented,
  insertNote,
  longNotes,
  newDiscussionId,
  noteBodies,
  notedTexts,
  noteIdsAfter,
  updateNote,
} from './store.ts';
export * as systemTexts from './system-texts.ts';
export type { NoteRow } from './tables.ts';
