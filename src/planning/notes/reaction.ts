import { emojiName, emojiNameOfCharacter } from '../../platform/emoji.ts';

/**
 * Upper bound for the names of emoji and for their length in UTF-16 code units; the longest characters are regional
 * flags.
 */
const LONGEST_REACTION = 100;

/**
 * Returns the emoji that a note consists of, written as `:tada:` or as the character itself. Such a note becomes an
 * emoji reaction.
 */
export function emojiReactionIn(body: string): string | undefined {
  const text = body.trim();
  if (text === '' || text.length > LONGEST_REACTION) return undefined;
  const named = /^:([a-z0-9_+-]+):$/.exec(text)?.[1];
  return named === undefined ? emojiNameOfCharacter(text) : emojiName(named);
}
