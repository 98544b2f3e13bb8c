import { plainTextOf } from './document.ts';
import { escapeHtml } from './html-tags.ts';
import type { Token } from './parser.ts';

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly slug: string;
}

/** `What's new?` becomes `whats-new`; repeated slugs get a number, such as `whats-new-1`. */
function slugOf(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replace(/ /g, '-')
    .slice(0, 255);
  return /^\d+$/.test(slug) ? `anchor-${slug}` : slug;
}

/** Headings of a text, by their opening token. */
export function headingsOf(tokens: readonly Token[]): Map<Token, Heading> {
  const headings = new Map<Token, Heading>();
  const taken = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = plainTextOf(tokens[at + 1]?.children ?? []).replace(/\0/g, '');
    const slug = slugOf(text);
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    headings.set(token, { level: Number(token.tag.slice(1)), text, slug: before === 0 ? slug : `${slug}-${before}` });
  }
  return headings;
}

/** Renders the table of contents that replaces `[[_TOC_]]`. */
export function tableOfContents(headings: Iterable<Heading>): string {
  let html = '';
  const open: number[] = [];
  for (const { level, text, slug } of headings) {
    while ((open.at(-1) ?? 0) > level) {
      html += '</li></ul>';
      open.pop();
    }
    if (open.at(-1) === level) html += '</li>';
    else {
      html += open.length === 0 ? '<ul class="section-nav">' : '<ul>';
      open.push(level);
    }
    html += `<li><a href="#${encodeURIComponent(slug)}">${escapeHtml(text)}</a>`;
  }
  return html + '</li></ul>'.repeat(open.length);
}
