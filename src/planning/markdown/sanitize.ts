import { createRequire } from 'node:module';
import type { IOptions } from 'sanitize-html';
import { isColor } from './colors.ts';
import { imageSchemes, linkSchemes } from './links.ts';

const load = createRequire(import.meta.url);

/** Greater than the nesting limit of the parser, so that only raw HTML is ever cut. */
const MAX_TAG_DEPTH = 200;

const everywhere = ['align', 'dir', 'lang', 'title', 'width', 'height', 'class', 'id'];

const options: IOptions = {
  allowedTags: [
    'h1 h2 h3 h4 h5 h6 p br hr div span center a img pre code tt kbd samp var b i strong em s strike del ins mark small sub sup u',
    'ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup col blockquote q cite abbr dfn bdo bdi time wbr',
    'ruby rt rp details summary figure figcaption address section input gl-emoji video audio',
  ].flatMap((line) => line.split(' ')),
  allowedAttributes: {
    '*': everywhere,
    a: ['href', 'rel', 'target', 'aria-hidden', 'aria-label', 'data-*'],
    img: ['src', 'alt'],
    video: ['src', 'controls', 'preload', 'data-title'],
    audio: ['src', 'controls', 'preload', 'data-title'],
    span: ['style'],
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled', 'data-inapplicable'],
    pre: ['data-math-style', 'data-lang-params'],
    code: ['data-math-style'],
    'gl-emoji': ['data-name'],
    section: ['data-footnotes'],
    table: ['data-table-filter'],
    td: ['colspan', 'rowspan', 'valign'],
    th: ['colspan', 'rowspan', 'valign', 'scope', 'data-sortable'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    details: ['open'],
    time: ['datetime'],
    del: ['datetime'],
    ins: ['datetime'],
    blockquote: ['cite'],
    q: ['cite'],
  },
  allowedSchemes: linkSchemes,
  allowedSchemesByTag: { img: imageSchemes, video: imageSchemes, audio: imageSchemes },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: true,
  nestingLimit: MAX_TAG_DEPTH,
  parseStyleAttributes: false,
  transformTags: {
    // Allows the background of color chips and no other style.
    span: (tagName, { style = '', ...attribs }) => {
      const [, color = ''] = /^background-color: (.*);$/.exec(style) ?? [];
      return { tagName, attribs: isColor(color) ? { ...attribs, style } : attribs };
    },
  },
  enforceHtmlBoundary: false,
};

/**
 * Final sanitization: whatever the parser, its rules and the tag filter let through, only these tags and attributes
 * remain, properly closed.
 */
export function sanitize(html: string): string {
  const sanitizeHtml = load('sanitize-html') as typeof import('sanitize-html');
  return sanitizeHtml(html, options);
}
