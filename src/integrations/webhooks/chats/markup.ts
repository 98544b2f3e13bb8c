/** How a chat spells links and emphasis. */
export type Markup = 'slack' | 'markdown' | 'html';

/** Words that lead somewhere. */
export interface Link {
  readonly words: string;
  readonly url: string;
}

/** A part of a sentence: plain words, or a link. */
export type Part = string | Link;

const spell: Readonly<
  Record<Markup, { text: (words: string) => string; link: (words: string, url: string) => string }>
> = {
  slack: {
    text: (words) => escapeTags(words),
    link: (words, url) => `<${url}|${escapeTags(words).replaceAll('|', '¦')}>`,
  },
  markdown: {
    text: (words) => escapeMarkdown(words),
    link: (words, url) => `[${escapeMarkdown(words)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  },
  html: {
    text: (words) => escapeTags(words),
    link: (words, url) => `<a href="${escapeTags(url).replaceAll('"', '&quot;')}">${escapeTags(words)}</a>`,
  },
};

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What somebody wrote stays what it is: it makes no link, calls nobody by `@` and is no heading. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]<>#|()!]/g, '\\$&').replaceAll('@', '@\u200b');
}

/** One line: what is longer, or has more lines, is cut. */
export function oneLine(text: string, longest = 255): string {
  const [first = ''] = text.trim().split(/\r?\n/, 1);
  return first.length > longest ? `${first.slice(0, longest - 1).toWellFormed()}…` : first;
}

/** A sentence in the spelling of a chat. */
export function written(markup: Markup, parts: readonly Part[]): string {
  const { text, link } = spell[markup];
  return parts.map((part) => (typeof part === 'string' ? text(part) : link(oneLine(part.words), part.url))).join('');
}
