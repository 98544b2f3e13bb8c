import { convert } from 'html-to-text';

/** Longer ones are cut: what was answered stands first, and parts within parts take the longer the more there are. */
const longestHtml = 256 * 1024;

const options = {
  wordwrap: false as const,
  limits: { maxDepth: 200, maxChildNodes: 20_000 },
  selectors: [
    // What Gmail and Yahoo quote is marked by nothing else.
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

/** The text of a message that has nothing but HTML. */
export function htmlText(html: string): string {
  return convert(html.slice(0, longestHtml), options);
}
