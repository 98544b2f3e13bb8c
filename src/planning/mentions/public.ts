export { membersMentioned } from './process.ts';
export { type MentioningItem, scheduleMentions, type WrittenText } from './schedule.ts';
