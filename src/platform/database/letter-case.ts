/** The sigma at the end of words, which is upper case's in one direction only. */
const finalSigma = 'ς';

/** The other case of a letter that is not one of A to Z, with itself; itself alone where that is none of one character. */
function cases(letter: string): string[] {
  const upper = letter.toUpperCase();
  const all = [letter, letter.toLowerCase(), upper, upper.toLowerCase(), ...(upper === 'Σ' ? [finalSigma] : [])];
  // The engine has put A to Z into lower case by itself: ı, whose upper case is I, is no i.
  return [...new Set(all)].filter((each) => [...each].length === 1 && each > '\u007f');
}

const foldedAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Writes a text out character by character; `among` is for letters that are one of several. */
function patternOf(text: string, plain: (character: string) => string, among: (letters: string) => string): string {
  let pattern = '';
  for (const character of foldedAscii(text)) {
    const letters = character > '\u007f' ? cases(character) : [];
    pattern += letters.length > 1 ? among(letters.join('')) : plain(character);
  }
  return pattern;
}

const among = (letters: string) => `[${letters}]`;

/** For `glob` of SQLite on a text in lower case, which knows A to Z alone: whether it contains the needle in any case. */
export function globOf(needle: string): string {
  return `*${patternOf(needle, (character) => (/[*?[]/.test(character) ? `[${character}]` : character), among)}*`;
}

/** Whether `like` is told everything about a needle once that is in lower case. */
const isPlain = (needle: string) =>
  ![...needle].some((character) => character > '\u007f' && cases(character).length > 1);

/** The same for `like` of PostgreSQL; null where the needle has letters that it cannot fold. */
export function likeOf(needle: string): string | null {
  return isPlain(needle) ? `%${escapeLike(foldedAscii(needle))}%` : null;
}

/** The same for `~` of PostgreSQL, where `like` is no use: it takes twice as long. */
export function regexOf(needle: string): string | null {
  if (isPlain(needle)) return null;
  return patternOf(needle, (character) => character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&'), among);
}

/** The needle with what `like` treats as special taken literally, by way of `escape '\'`. */
export function escapeLike(needle: string): string {
  return needle.replace(/[\\%_]/g, '\\$&');
}
