import { imageSchemes, isSafeLink, schemeOf } from './links.ts';

/** HTML tags allowed in Markdown. */
const tags = new Set(
  [
    'h1 h2 h3 h4 h5 h6 p br hr div span center a img pre code tt kbd samp var b i strong em s strike del ins mark small sub sup u',
    'ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup col blockquote q cite abbr dfn bdo bdi time wbr',
    'ruby rt rp details summary figure figcaption address section',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Elements whose content browsers parse as raw text up to the end tag. They are escaped, so that they cannot swallow
 * the rest of the page.
 */
const shown = new Set(
  'title textarea style xmp iframe noembed noframes script plaintext noscript template svg math select option'.split(
    ' ',
  ),
);

const onAll = new Set('align alt dir lang title width height'.split(' '));
const onSome: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  img: ['src'],
  td: ['colspan', 'rowspan', 'valign'],
  th: ['colspan', 'rowspan', 'valign', 'scope'],
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
};

const tag =
  /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z_:][a-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/iy;
const attribute = /([a-z_:][a-z0-9_.:-]*)(?:\s*=\s*(?:([^\s"'=<>`]+)|'([^']*)'|"([^"]*)"))?/gi;

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** Rewrites an address in a text to the one shown on the page; empty if the address is not allowed. */
export type Rewrite = (kind: 'link' | 'image', address: string) => string;

function attributesOf(name: string, text: string, rewrite: Rewrite): string {
  const allowed = onSome[name] ?? [];
  const kept = new Map<string, string>();
  for (const [, key = '', bare, single, double] of text.matchAll(attribute)) {
    const lower = key.toLowerCase();
    // The value is HTML already, so its entities must not be escaped again.
    const value = (bare ?? single ?? double ?? '').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    if (kept.has(lower) || !(onAll.has(lower) || allowed.includes(lower))) continue;
    if (lower === 'href' || lower === 'cite') {
      if (!isSafeLink(value)) continue;
      kept.set(lower, lower === 'href' ? rewrite('link', value) : value);
    } else if (lower === 'src') {
      const scheme = schemeOf(value);
      if (scheme === undefined || imageSchemes.includes(scheme)) kept.set(lower, rewrite('image', value));
    } else kept.set(lower, value);
  }
  return [...kept].map(([key, value]) => ` ${key}="${value}"`).join('');
}

/** Number of raw HTML tags that are open at the current position of a text. */
export interface OpenTags {
  depth: number;
}

const MAX_OPEN_TAGS = 100;
const neverClosed = new Set(['br', 'hr', 'img', 'col', 'wbr']);

/** Whether a tag is rendered. Deep nesting is flattened, because closing the tags takes time quadratic in the depth. */
function countTag(name: string, closes: boolean, open: OpenTags): boolean {
  if (neverClosed.has(name)) return !closes;
  if (closes ? open.depth === 0 : open.depth === MAX_OPEN_TAGS) return false;
  open.depth += closes ? -1 : 1;
  return true;
}

/**
 * Filters raw HTML to the allowed tags and attributes. The result is generated from what was parsed, so that nothing
 * that was not understood passes through. Tags may remain open, because the text after them is not part of the input.
 */
export function filterHtml(html: string, rewrite: Rewrite, open: OpenTags): string {
  let result = '';
  let done = 0;
  const noComments = html.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  for (let at = noComments.indexOf('<'); at !== -1; at = noComments.indexOf('<', done)) {
    result += noComments.slice(done, at).replace(/>/g, '&gt;');
    tag.lastIndex = at;
    const found = tag.exec(noComments);
    const [whole = '<', slash = '', name = '', attributes = ''] = found ?? [];
    const lower = name.toLowerCase();
    if (!found || shown.has(lower)) result += escapeHtml(whole);
    else if (tags.has(lower) && countTag(lower, slash !== '', open)) {
      result += slash ? `</${lower}>` : `<${lower}${attributesOf(lower, attributes, rewrite)}>`;
    }
    done = at + whole.length;
  }
  return result + noComments.slice(done).replace(/>/g, '&gt;');
}
