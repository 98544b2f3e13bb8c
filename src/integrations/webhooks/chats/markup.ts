/** Markup language of a chat. */
export type Markup = 'slack' | 'markdown' | 'html';

/** A link. */
export interface Link {
  readonly words: string;
  readonly url: string;
}

/** A part of a sentence: plain text or a link. */
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

/** Escapes user text so that it produces no links, mentions or headings. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]<>#|()!]/g, '\\$&').replaceAll('@', '@\u200b');
}

/** Returns the first line, truncated. */
export function oneLine(text: string, longest = 255): string {
  const [first = ''] = text.trim().split(/\r?\n/, 1);
  return first.length > longest ? `${first.slice(0, longest - 1).toWellFormed()}…` : first;
}

/** Renders a sentence in the markup of a chat. */
export function renderSentence(markup: Markup, parts: readonly Part[]): string {
  const { text, link } = spell[markup];
  return parts.map((part) => (typeof part === 'string' ? text(part) : link(oneLine(part.words), part.url))).join('');
}
