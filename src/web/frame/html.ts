import { escapeHtml } from '../../platform/http/responses/html.ts';

/** HTML that is safe to output. Created only by the `html` template and by `trusted`, which has few callers. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values in a template: text is escaped, HTML and lists of it are inserted, empty values are left out. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(written).join('');
  return escapeHtml(String(part));
}

/**
 * Creates HTML. Values are escaped by construction; attributes must be double-quoted, and user-supplied URLs must go
 * through `safeUrl`.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0] ?? '';
  parts.forEach((part, at) => {
    text += written(part) + (texts[at + 1] ?? '');
  });
  return new Html(text);
}

/** Marks HTML as safe that was sanitized elsewhere: Markdown from the API, or highlighted code. */
export function trusted(text: string): Html {
  return new Html(text);
}

export const nothing = new Html('');

/** Returns a user-supplied URL if its scheme is harmless, and `#` otherwise. */
export function safeUrl(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address.trim()) ? address.trim() : '#';
}
