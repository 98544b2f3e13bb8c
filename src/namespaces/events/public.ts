export type { NewEvent } from './event.ts';
export type { NoteFinder, SaidNote } from './notes.ts';
export { changeAudience, recordEvent } from './store.ts';
