export type { NewEvent } from './event.ts';
export type { SaidNote } from './notes.ts';
export { recordEvent } from './record.ts';
