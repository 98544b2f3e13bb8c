import type { MarkdownIt, Token } from 'markdown-it';

/** Takes the dollars off a formula: they stand around its backticks. */
function mark(children: readonly Token[]): void {
  for (const [at, token] of children.entries()) {
    const before = children[at - 1];
    const after = children[at + 1];
    if (token.type !== 'code_inline' || before?.type !== 'text' || after?.type !== 'text') continue;
    if (!before.content.endsWith('$') || !after.content.startsWith('$')) continue;
    before.content = before.content.slice(0, -1);
    after.content = after.content.slice(1);
    token.meta = { math: true };
  }
}

/** Formulas within a line, as $`a + b`$: marked for whoever draws them. */
export function mathRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('math', (state) => {
    for (const token of state.tokens) if (token.type === 'inline' && token.children) mark(token.children);
  });
}
