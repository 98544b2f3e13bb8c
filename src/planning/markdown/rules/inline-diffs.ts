import type { MarkdownIt, StateInline } from 'markdown-it';

const ends: Readonly<Record<string, { readonly end: string; readonly kind: 'addition' | 'deletion' }>> = {
  '{+': { end: '+}', kind: 'addition' },
  '[+': { end: '+]', kind: 'addition' },
  '{-': { end: '-}', kind: 'deletion' },
  '[-': { end: '-]', kind: 'deletion' },
};

/** Parses `{+ added +}` and `{- removed -}` within a line. */
function diff(state: StateInline, silent: boolean): boolean {
  const { src, pos: start, posMax: last } = state;
  const found = ends[src.slice(start, start + 2)];
  if (found === undefined) return false;
  const [line = ''] = src.slice(start, Math.min(last, start + maxLength)).split('\n', 1);
  const close = line.indexOf(found.end, 3);
  if (close < 0) return false;
  const end = start + close;
  if (!silent) {
    state.push('diff_open', 'span', 1).attrSet('class', `idiff left right ${found.kind}`);
    state.pos = start + 2;
    state.posMax = end;
    state.md.inline.tokenize(state);
    state.push('diff_close', 'span', -1);
    state.posMax = last;
  }
  state.pos = end + 2;
  return true;
}

/** Limits the search for the closing mark, because a line may be a megabyte of opening marks. */
const maxLength = 1_000;

/** Inline diffs: marks for added and removed words. */
export function inlineDiffRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.after('link', 'inline_diff', diff);
}
