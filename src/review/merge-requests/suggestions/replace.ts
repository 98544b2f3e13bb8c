/** A range of lines to be replaced; line numbers start at 1. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly content: string;
}

/** Lines of a text, including line endings. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]+\n?|\n/g) ?? [];
}

/** Returns a range of lines of a text. */
export function linesBetween(text: string, from: number, to: number): string {
  return linesOf(text)
    .slice(from - 1, to)
    .join('');
}

export function overlap(replacements: readonly Replacement[]): boolean {
  const sorted = replacements.toSorted((one, other) => one.from - other.from);
  return sorted.some(({ from }, index) => index > 0 && from <= (sorted[index - 1]?.to ?? 0));
}

/** Replaces ranges of lines, keeping the line endings of the file. */
export function replaceLines(text: string, replacements: readonly Replacement[]): string {
  const lines = linesOf(text);
  for (const { from, to, content } of replacements.toSorted((one, other) => other.from - one.from)) {
    const ending = lines[from - 1]?.endsWith('\r\n') ? '\r\n' : '\n';
    lines.splice(from - 1, to - from + 1, content.replaceAll('\n', ending));
  }
  return lines.join('');
}
