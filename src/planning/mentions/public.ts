export { membersMentioned } from './heed.ts';
export { heedText, type MentioningThing, type WrittenText } from './written.ts';
