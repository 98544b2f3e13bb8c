import { escapeHtml } from '../../platform/http/responses/html.ts';

/** HTML that may stand in a page as it is. Only the template below makes it, and `trusted`, whose callers are few. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: texts are escaped, HTML and lists of it are not, nothing is nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(written).join('');
  return escapeHtml(String(part));
}

/**
 * A piece of a page. Whatever is put in is escaped by construction; attributes are always written in double quotes, and
 * addresses that people typed go through `outside` first.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0] ?? '';
  parts.forEach((part, at) => {
    text += written(part) + (texts[at + 1] ?? '');
  });
  return new Html(text);
}

/** HTML that something else has made safe: the Markdown of the API, the highlighter. */
export function trusted(text: string): Html {
  return new Html(text);
}

export const nothing = new Html('');

/** An address that people typed: a link of a scheme that runs nothing, or nowhere. */
export function outside(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address.trim()) ? address.trim() : '#';
}
