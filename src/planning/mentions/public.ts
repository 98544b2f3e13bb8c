export { heedText, type MentioningThing, type WrittenText } from './written.ts';
