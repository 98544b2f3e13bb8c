import type { MarkdownIt } from 'markdown-it';

const isContents = (text: string | undefined) => text !== undefined && /^\[(?:\[_TOC_\]|TOC)\]$/i.test(text);

/**
 * Table of contents in place of `[[_TOC_]]` on a line of its own. Only the first one is replaced: a thousand of them
 * could each list a thousand headings.
 */
export function tableOfContentsRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('table_of_contents', ({ tokens, Token }) => {
    const at = tokens.findIndex(({ type }, n) => type === 'paragraph_open' && isContents(tokens[n + 1]?.content));
    if (at < 0) return;
    const contents = new Token('table_of_contents', '', 0);
    contents.content = tokens[at + 1]?.content ?? '';
    tokens.splice(at, 3, contents);
  });
}
