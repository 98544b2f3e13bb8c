/**
 * A text without the characters that it begins and ends with. `/\/+$/` would find them too, but tries every place of every run
 * that something else follows: a run of a hundred thousand takes it a minute.
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
