export { addSystemNote, deleteNotesOf } from './store.ts';
export type { NoteRow } from './tables.ts';
