import { emojiName, emojiNameOfCharacter } from '../../platform/emoji.ts';

/** No emoji has a longer name, nor more code units: flags of regions are the longest of these. */
const LONGEST_REACTION = 100;

/**
 * The emoji that a comment consists of, if it is nothing but one, as `:tada:` or as the character itself. Such a comment
 * becomes a reaction instead of a note.
 */
export function reactionIn(body: string): string | undefined {
  const text = body.trim();
  if (text === '' || text.length > LONGEST_REACTION) return undefined;
  const named = /^:([a-z0-9_+-]+):$/.exec(text)?.[1];
  return named === undefined ? emojiNameOfCharacter(text) : emojiName(named);
}
