/**
 * Removes leading and trailing characters. A regular expression such as `/\/+$/` takes quadratic time on long runs that
 * do not end the text: a minute for a hundred thousand characters.
 */
export function trimCharacters(text: string, characters: string): string {
  return trimTrailing(trimLeading(text, characters), characters);
}

export function trimLeading(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
