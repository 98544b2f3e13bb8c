import { convert } from 'html-to-text';

/** Longer ones than this are cut: nobody wrote them by hand. */
const longestHtml = 1_000_000;

const options = {
  wordwrap: false as const,
  limits: { maxInputLength: longestHtml, maxDepth: 200, maxChildNodes: 20_000 },
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
  return convert(html, options);
}
