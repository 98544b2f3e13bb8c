export type { NewEvent } from './event.ts';
export type { EmbeddedNote, NoteFinder } from './notes.ts';
export { changeAudience, recordEvent } from './store.ts';
