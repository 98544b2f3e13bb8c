/** The validation message of a text with too many characters (an emoji counts as one), if any. */
export function lengthProblem(text: string, most: number): string | undefined {
  // A character takes one or two UTF-16 units, so counting is only needed in between.
  const fits = text.length <= most || (text.length <= 2 * most && [...text].length <= most);
  return fits ? undefined : `is too long (maximum is ${most} characters)`;
}
