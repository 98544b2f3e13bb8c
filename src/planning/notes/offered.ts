/**
 * What an area needs for routes that comment on its things: parameters, answers, and what is done. The route that writes
 * a comment declares `responses: notes.saidResponses` and passes what `createNote` gives through `notes.answered`: the comment
 * may have become a reaction, or have been nothing but commands. The one that changes a comment does so with
 * `notes.changedResponses` and what `updateNote` gives.
 */
export { addNote, answered, createNote, say, type Thread } from './create.ts';
export { deleteNote, updateNote } from './edit.ts';
export { noteableId, presentFound } from './present.ts';
export {
  changedResponses,
  listParams,
  Note,
  NoteCommands,
  type NoteEntity,
  newNote,
  noteChange,
  noteId,
  Said,
  saidResponses,
} from './schema.ts';
export { checkBody, getNote, listNotes, noteRows, refused } from './service.ts';
