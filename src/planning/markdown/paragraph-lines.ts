import { codeSpans } from './code-spans.ts';
import { parseBlocks, StepLimitExceeded } from './parser.ts';

/** Zero-based numbers of the lines in top-level paragraphs, outside of code. */
export function paragraphLines(text: string): number[] {
  const lines = text.split(/\r\n|\r|\n/);
  const found: number[] = [];
  for (const token of blocksOf(text)) {
    if (token.type !== 'paragraph_open' || token.level !== 0 || !token.map) continue;
    const [first, end] = token.map;
    const starts: number[] = [];
    let length = 0;
    for (let line = first; line < end; line++) {
      starts.push(length);
      length += (lines[line]?.length ?? 0) + 1;
    }
    const spans = codeSpans(lines.slice(first, end).join('\n'));
    let span = 0;
    for (const [offset, start] of starts.entries()) {
      while ((spans[span]?.[1] ?? Number.POSITIVE_INFINITY) <= start) span += 1;
      const within = (spans[span]?.[0] ?? Number.POSITIVE_INFINITY) < start;
      if (!within) found.push(first + offset);
    }
  }
  return found;
}

/** Block tokens of a text; empty if parsing exceeds the work limit, since the text is then rendered verbatim. */
export function blocksOf(text: string): ReturnType<typeof parseBlocks> {
  try {
    return parseBlocks(text);
  } catch (error) {
    if (error instanceof StepLimitExceeded) return [];
    throw error;
  }
}
