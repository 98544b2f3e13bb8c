import { type Document, isMap, parseDocument, stringify, visit } from 'yaml';

export const formats = ['markdown', 'rdoc', 'asciidoc', 'org'] as const;
export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  md: 'markdown',
  mkd: 'markdown',
  mkdn: 'markdown',
  mdown: 'markdown',
  markdown: 'markdown',
  rdoc: 'rdoc',
  adoc: 'asciidoc',
  ad: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
};
const written: Readonly<Record<Format, string>> = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' };

/** Slug and format of a page by its file path; undefined for other files, such as images. */
export function pageAt(path: string): { readonly slug: string; readonly format: Format } | undefined {
  const [, slug = '', extension = ''] = /^(.+)\.([^./]+)$/s.exec(path) ?? [];
  const format = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  return format === undefined || path.startsWith('uploads/') ? undefined : { slug, format };
}

export function pathOf(slug: string, format: Format): string {
  return `${slug}.${written[format]}`;
}

/** The slug for a title: `Some page` becomes `Some-page`. */
export function slugOf(title: string): string {
  return title
    .trim()
    .replace(/\s/g, '-')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
}

export function titleOf(slug: string): string {
  return slug.replaceAll('-', ' ');
}

const frontMatter = /^---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s;
const longestFrontMatter = 16_384;

/** The two parts of a page's file. */
export interface PageText {
  readonly content: string;
  readonly frontMatter: Record<string, unknown>;
}

/** Splits a file into front matter and content; invalid front matter is part of the content. */
export function readPage(text: string): PageText {
  const [block = '', head = ''] = frontMatter.exec(text) ?? [];
  if (block === '' || head.length > longestFrontMatter) return { content: text, frontMatter: {} };
  const document = parseDocument(head, { schema: 'failsafe' });
  const readable = document.errors.length === 0 && isMap(document.contents) && !hasAliases(document);
  if (!readable) return { content: text, frontMatter: {} };
  return { content: text.slice(block.length), frontMatter: document.toJS() as Record<string, unknown> };
}

/** A self-referencing alias has infinite size, and nested aliases expand exponentially. */
function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** Joins content and front matter to the text of a file. */
export function writePage(content: string, head: Readonly<Record<string, unknown>>): string {
  return Object.keys(head).length === 0 ? content : `---\n${stringify(head)}---\n${content}`;
}
