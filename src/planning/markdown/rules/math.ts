import type { MarkdownIt, StateInline, Token } from 'markdown-it';

/** Limits the search for the end of a formula, because a text may be a megabyte of dollar signs. */
const maxLength = 2_000;

/** Removes the dollar signs around the backticks of a formula. */
function mark(children: readonly Token[]): void {
  for (const [at, token] of children.entries()) {
    const before = children[at - 1];
    const after = children[at + 1];
    if (token.type !== 'code_inline' || before?.type !== 'text' || after?.type !== 'text') continue;
    if (!before.content.endsWith('$') || !after.content.startsWith('$')) continue;
    before.content = before.content.slice(0, -1);
    after.content = after.content.slice(1);
    token.meta = { math: 'inline' };
  }
}

const displayed = /\$\$((?:[^$\\]|\\[\s\S])+)\$\$/y;
/**
 * Excludes prices: the opening dollar sign is not followed by a blank, the closing one not preceded by a blank nor
 * followed by a digit.
 */
const inline = /\$((?![\s`$])(?:[^$\\\n]|\\[^\n])*(?<![\s`]))\$(?!\d)/y;

/** Parses `$a + b$` and `$$a + b$$`. */
function formula(state: StateInline, silent: boolean): boolean {
  const { pos } = state;
  if (state.src[pos] !== '$') return false;
  const near = state.src.slice(pos, Math.min(state.posMax, pos + maxLength));
  const pattern = near.startsWith('$$') ? displayed : inline;
  pattern.lastIndex = 0;
  const found = pattern.exec(near);
  const content = found?.[1]?.trim();
  if (!found || !content) return false;
  if (!silent) {
    const token = state.push('code_inline', 'code', 0);
    token.content = content;
    token.meta = { math: pattern === displayed ? 'display' : 'inline' };
  }
  state.pos += found[0].length;
  return true;
}

/** Math: $`a + b`$, $a + b$ and, on separate lines, $$a + b$$. They are only marked up; the client renders them. */
export function mathRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('link', 'formula', formula);
  markdown.core.ruler.push('math', (state) => {
    for (const token of state.tokens) if (token.type === 'inline' && token.children) mark(token.children);
  });
}
