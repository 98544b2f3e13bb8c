export type { Audience, EventAction, NewEvent, PushData, TargetType } from './event.ts';
export { recordEvent } from './record.ts';
