/** What is wrong with a text of too many characters, as people count them: an emoji is one. Undefined when nothing is. */
export function tooLong(text: string, most: number): string | undefined {
  // A character takes one or two units: only in between does anybody have to count.
  const fits = text.length <= most || (text.length <= 2 * most && [...text].length <= most);
  return fits ? undefined : `is too long (maximum is ${most} characters)`;
}
