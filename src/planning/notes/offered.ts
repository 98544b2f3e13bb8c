/**
 * What an area needs for routes that comment on its things: parameters, answers, and what is done. The route that writes
 * a comment declares `answers: notes.saidAnswers` and passes what `createNote` gives through `notes.answered`: the comment
 * may have become a reaction, or have been nothing but commands.
 */
export { addNote, answered, createNote, say, type Thread } from './create.ts';
export { noteableId, presentFound } from './present.ts';
export {
  listParams,
  Note,
  NoteCommands,
  type NoteEntity,
  newNote,
  noteChange,
  noteId,
  Said,
  saidAnswers,
} from './schema.ts';
export { checkBody, deleteNote, getNote, listNotes, noteRows, refused, updateNote } from './service.ts';
