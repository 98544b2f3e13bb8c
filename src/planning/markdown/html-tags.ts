import { imageSchemes, isSafeLink, schemeOf } from './links.ts';

/** The tags that people may write themselves, beside Markdown. */
const tags = new Set(
  [
    'h1 h2 h3 h4 h5 h6 p br hr div span center a img pre code tt kbd samp var b i strong em s strike del ins mark small sub sup u',
    'ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup col blockquote q cite abbr dfn bdo bdi time wbr',
    'ruby rt rp details summary figure figcaption address section',
  ].flatMap((line) => line.split(' ')),
);

/** Tags after which a browser takes everything for text up to their end: shown instead, so that nothing below is swallowed. */
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

/** Turns an address that someone wrote into what the page shows; nothing where it may lead nowhere. */
export type Rewrite = (kind: 'link' | 'image', address: string) => string;

function attributesOf(name: string, text: string, rewrite: Rewrite): string {
  const allowed = onSome[name] ?? [];
  const kept = new Map<string, string>();
  for (const [, key = '', bare, single, double] of text.matchAll(attribute)) {
    const lower = key.toLowerCase();
    // The text is written back as HTML, so that entities in it stay what they are.
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

/** How many tags that someone wrote are open at a point of a text. */
export interface OpenTags {
  depth: number;
}

const MAX_OPEN_TAGS = 100;
const neverClosed = new Set(['br', 'hr', 'img', 'col', 'wbr']);

/** Whether a tag still counts: deep nests are flattened here, since closing them takes the square of their depth. */
function countTag(name: string, closes: boolean, open: OpenTags): boolean {
  if (neverClosed.has(name)) return !closes;
  if (closes ? open.depth === 0 : open.depth === MAX_OPEN_TAGS) return false;
  open.depth += closes ? -1 : 1;
  return true;
}

/**
 * What someone wrote as HTML, with the tags and attributes that are allowed and no others: written anew from what was
 * understood, so that what was not understood cannot pass. Tags may be open: the text after them is not seen here.
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
