import { convert } from 'html-to-text';

/** Longer HTML is truncated: the reply comes first, and the conversion time grows with the nesting depth. */
const longestHtml = 256 * 1024;

const options = {
  wordwrap: false as const,
  limits: { maxDepth: 200, maxChildNodes: 20_000 },
  selectors: [
    // Gmail and Yahoo mark quoted text only with these classes.
    { selector: '.gmail_quote', format: 'skip' },
    { selector: '.yahoo_quoted', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'] } },
    { selector: 'img', format: 'inlinePicture' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
  formatters: {
    inlinePicture: (
      { attribs }: { readonly attribs?: Readonly<Record<string, string>> },
      _walk: unknown,
      builder: { addInline(text: string): void },
    ) => {
      const source = attribs?.src ?? '';
      if (source.startsWith('cid:')) builder.addInline(`[${source}]`);
    },
  },
};

/** Converts an HTML-only message to plain text. */
export function htmlText(html: string): string {
  return convert(html.slice(0, longestHtml), options);
}
