/**
 * The interface for areas that have routes for notes: parameters, responses and operations. A route that creates a note
 * declares `responses: notes.newNoteResponses` and passes the result of `createNote` through `notes.noteResponse`,
 * because the note may have become an emoji reaction or consisted of quick actions only. A route that updates a note
 * uses `notes.changedResponses` and the result of `updateNote` in the same way.
 */
export { addNote, createNote, noteResponse, postNote, type Thread } from './create.ts';
export { deleteNote, updateNote } from './edit.ts';
export { noteableId, presentFound } from './present.ts';
export {
  changedResponses,
  listParams,
  Note,
  NoteCommands,
  type NoteEntity,
  NoteOrAward,
  newNote,
  newNoteResponses,
  noteChange,
  noteId,
} from './schema.ts';
export { checkBody, getNote, listNotes, noteRows, noteValidationError } from './service.ts';
