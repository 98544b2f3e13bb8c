import { hash } from 'node:crypto';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { highlighter } from '../frame/highlight.ts';
import type { DiffLine } from './diff-lines.ts';
import { changedWords, markSpan } from './diff-words.ts';

const longestLine = 2_000;

const cut = ({ text }: DiffLine) =>
  text.length > longestLine ? `${text.slice(0, longestLine).toWellFormed()} …` : text;

async function colour(path: string, lines: readonly DiffLine[], drawn: Map<DiffLine, string>): Promise<void> {
  const code = lines.map(cut).join('\n');
  const coloured = await highlighter.lines(code, path, hash('sha256', code));
  for (const [at, line] of lines.entries()) drawn.set(line, coloured[at] ?? escapeHtml(cut(line)));
}

/** Renders lines as HTML: highlighted if there is time, with changed words marked. */
export async function drawLines(
  file: { readonly old_path: string; readonly new_path: string },
  lines: readonly DiffLine[],
  hasTime: boolean,
): Promise<ReadonlyMap<DiffLine, string>> {
  const drawn = new Map(lines.map((line) => [line, escapeHtml(cut(line))]));
  if (hasTime) {
    const code = lines.filter(({ kind }) => kind !== 'hunk' && kind !== 'note');
    // Unchanged lines are rendered by both passes; the second one, of the new file, wins.
    if (code.some(({ kind }) => kind === 'del')) {
      const before = code.filter(({ kind }) => kind !== 'add');
      await colour(file.old_path, before, drawn);
    }
    const after = code.filter(({ kind }) => kind !== 'del');
    await colour(file.new_path, after, drawn);
  }
  for (const [line, span] of changedWords(lines)) {
    if (line.text.length <= longestLine) drawn.set(line, markSpan(drawn.get(line) ?? '', span));
  }
  return drawn;
}
