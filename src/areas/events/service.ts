export type { Audience, EventAction, NewEvent, PushData, TargetType } from './event.ts';
export { type NoteFinder, onEventNotes, type SaidNote } from './notes.ts';
export { recordEvent } from './record.ts';
