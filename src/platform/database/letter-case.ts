/** The sigma at the end of a word, which is converted to upper case but never results from lower-casing. */
const finalSigma = 'ς';

/** The case variants of a letter outside A to Z, including itself; only variants of a single character count. */
function cases(letter: string): string[] {
  const upper = letter.toUpperCase();
  const all = [letter, letter.toLowerCase(), upper, upper.toLowerCase(), ...(upper === 'Σ' ? [finalSigma] : [])];
  // The engine itself has lower-cased A to Z; the lower case of ı's upper case I is i, a different letter.
  return [...new Set(all)].filter((each) => [...each].length === 1 && each > '\u007f');
}

const foldedAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Writes a text as a pattern, character by character; `among` writes a set of alternative letters. */
function patternOf(text: string, plain: (character: string) => string, anyOf: (letters: string) => string): string {
  let pattern = '';
  for (const character of foldedAscii(text)) {
    const letters = character > '\u007f' ? cases(character) : [];
    pattern += letters.length > 1 ? anyOf(letters.join('')) : plain(character);
  }
  return pattern;
}

const anyOf = (letters: string) => `[${letters}]`;

/** A SQLite `glob` pattern for texts lower-cased by SQLite (A to Z only) that contain the needle in any case. */
export function globOf(needle: string): string {
  return `*${patternOf(needle, (character) => (/[*?[]/.test(character) ? `[${character}]` : character), anyOf)}*`;
}

/** Whether a lower-cased `like` pattern matches the needle in every case. */
const isPlain = (needle: string) =>
  ![...needle].some((character) => character > '\u007f' && cases(character).length > 1);

/** The same for `like` of PostgreSQL; null if the needle has letters with several case variants. */
export function likeOf(needle: string): string | null {
  return isPlain(needle) ? `%${escapeLike(foldedAscii(needle))}%` : null;
}

/** The same for `~` of PostgreSQL, used only when `like` cannot be: it takes twice as long. */
export function regexOf(needle: string): string | null {
  if (isPlain(needle)) return null;
  return patternOf(needle, (character) => character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&'), anyOf);
}

/** Escapes the characters that are special to `like`, for use with `escape '\'`. */
export function escapeLike(needle: string): string {
  return needle.replace(/[\\%_]/g, '\\$&');
}
