export { emojiCharacter, emojiName, emojiNameOfCharacter } from './names.ts';
export { reactionIn } from './reaction.ts';
