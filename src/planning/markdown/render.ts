import { referencesIn } from './document.ts';
import { headingsOf } from './headings.ts';
import { escapeHtml } from './html-tags.ts';
import { parseInline, parseLine, type Token, TooMuchWork } from './parser.ts';
import type { Reference, ResolvedReferences } from './references/reference.ts';
import { draw } from './renderer.ts';
import type { Repository } from './repository-links.ts';
import { sanitize } from './sanitize.ts';

/** No text that is kept anywhere is longer; what is, is shown as it was written. */
const MAX_TEXT_LENGTH = 1_048_576;
/** A few characters can stand for much: an empty fence is fifty times as long in HTML. */
const MAX_HTML_LENGTH = 4 * MAX_TEXT_LENGTH;

/** A text that has been read, and has to be told what its references are before it can be drawn. */
export interface MarkdownDocument {
  readonly text: string;
  /** Nothing for a text that would be too much work. */
  readonly tokens: readonly Token[] | undefined;
  readonly references: readonly Reference[];
  readonly instanceUrl: string;
}

function read(parse: typeof parseInline, text: string, instanceUrl: string): MarkdownDocument {
  if (text.length > MAX_TEXT_LENGTH) return { text, tokens: undefined, references: [], instanceUrl };
  try {
    const tokens = parse(text, instanceUrl);
    const inlines = tokens.flatMap((token) => token.children ?? []);
    return { text, tokens, references: referencesIn(inlines), instanceUrl };
  } catch (error) {
    if (error instanceof TooMuchWork) return { text, tokens: undefined, references: [], instanceUrl };
    throw error;
  }
}

/** Reads a Markdown text. */
export const readMarkdown = (text: string, instanceUrl: string): MarkdownDocument =>
  read(parseInline, text, instanceUrl);

/** Reads a single line such as a title, in which nothing but references and emoji is drawn. */
export const readLine = (text: string, instanceUrl: string): MarkdownDocument => read(parseLine, text, instanceUrl);

export interface RenderOptions {
  /** What the references of the text are, as far as the reader may know; those left out stand as they were written. */
  readonly resolved?: ResolvedReferences;
  readonly repository?: Repository;
  /** False leaves references, emoji and boxes as they were written. */
  readonly gfm?: boolean;
}

/** The HTML of a text, safe to be put into a page. */
export function renderMarkdown(document: MarkdownDocument, options: RenderOptions = {}): string {
  const { text, tokens, instanceUrl } = document;
  const asWritten = () => `<pre class="code">${escapeHtml(text)}</pre>`;
  if (tokens === undefined) return asWritten();
  const { resolved = new Map(), repository, gfm = true } = options;
  const headings = headingsOf(tokens);
  const openTags = { depth: 0 };
  const html = draw([...tokens], { instanceUrl, repository, gfm, resolved, headings, openTags });
  return html.length > MAX_HTML_LENGTH ? asWritten() : sanitize(html).trim();
}
