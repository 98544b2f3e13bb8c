export type { NewEvent } from './event.ts';
export { onEventNotes, type SaidNote } from './notes.ts';
export { recordEvent } from './record.ts';
