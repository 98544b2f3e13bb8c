/** What an area needs for routes that comment on its things: parameters, answers, and what is done. */
export { presentFound } from './present.ts';
export { listParams, Note, type NoteEntity, newNote, noteChange, noteId, Said } from './schema.ts';
export { addNote, createNote, deleteNote, getNote, listNotes, type Thread, updateNote } from './service.ts';
