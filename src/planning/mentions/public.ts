export { membersMentioned } from './process.ts';
export { type MentioningThing, scheduleMentions, type WrittenText } from './schedule.ts';
