import { referencesIn } from './document.ts';
import { headingsOf } from './headings.ts';
import { escapeHtml } from './html-tags.ts';
import { parseInline, parseLine, StepLimitExceeded, type Token } from './parser.ts';
import type { Reference, ResolvedReferences } from './references/reference.ts';
import { renderTokens } from './renderer.ts';
import type { Repository } from './repository-links.ts';
import { sanitize } from './sanitize.ts';

/** Maximum length of stored texts; longer ones are rendered verbatim. */
const MAX_TEXT_LENGTH = 1_048_576;
/** A few characters can expand to a lot of HTML: an empty fence grows fifty-fold. */
const MAX_HTML_LENGTH = 4 * MAX_TEXT_LENGTH;

/** A parsed text, whose references have to be resolved before rendering. */
export interface MarkdownDocument {
  readonly text: string;
  /** Undefined if parsing exceeds the work limit. */
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
    if (error instanceof StepLimitExceeded) return { text, tokens: undefined, references: [], instanceUrl };
    throw error;
  }
}

/** Parses a Markdown text. */
export const readMarkdown = (text: string, instanceUrl: string): MarkdownDocument =>
  read(parseInline, text, instanceUrl);

/** Parses a single line such as a title, in which only references and emoji are rendered. */
export const readLine = (text: string, instanceUrl: string): MarkdownDocument => read(parseLine, text, instanceUrl);

export interface RenderOptions {
  /** Resolved references; references that are missing here are rendered as plain text. */
  readonly resolved?: ResolvedReferences;
  readonly repository?: Repository;
  /** If false, references, emoji and task list checkboxes are rendered as plain text. */
  readonly gfm?: boolean;
}

/** Renders a text to sanitized HTML. */
export function renderMarkdown(document: MarkdownDocument, options: RenderOptions = {}): string {
  const { text, tokens, instanceUrl } = document;
  const asWritten = () => `<pre class="code">${escapeHtml(text)}</pre>`;
  if (tokens === undefined) return asWritten();
  const { resolved = new Map(), repository, gfm = true } = options;
  const headings = headingsOf(tokens);
  const openTags = { depth: 0 };
  const html = renderTokens([...tokens], { instanceUrl, repository, gfm, resolved, headings, openTags });
  return html.length > MAX_HTML_LENGTH ? asWritten() : sanitize(html).trim();
}
