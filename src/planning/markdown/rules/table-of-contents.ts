import type { MarkdownIt } from 'markdown-it';

const isContents = (text: string | undefined) => text !== undefined && /^\[(?:\[_TOC_\]|TOC)\]$/i.test(text);

/** `[[_TOC_]]` on a line of its own: the place of a table of contents. */
export function tableOfContentsRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('table_of_contents', (state) => {
    if (!state.tokens.some((token) => token.type === 'inline' && isContents(token.content))) return;
    state.tokens = state.tokens.flatMap((token, at, all) => {
      const opens = token.type === 'paragraph_open' && isContents(all[at + 1]?.content);
      const inside = all[at - 1]?.type === 'paragraph_open' && isContents(token.content);
      const closes = token.type === 'paragraph_close' && isContents(all[at - 1]?.content);
      if (opens || closes) return [];
      if (!inside) return [token];
      const contents = new state.Token('table_of_contents', '', 0);
      contents.content = token.content;
      return [contents];
    });
  });
}
