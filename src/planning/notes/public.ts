export { addSystemNote, deleteNotesOf } from './store.ts';
export * as systemTexts from './system-texts.ts';
export type { NoteRow } from './tables.ts';
