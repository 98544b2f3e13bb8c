import type { Env, MarkdownIt, Renderer, Token } from 'markdown-it';
import { emojiElement } from '../../platform/emoji.ts';
import { isColor } from './colors.ts';
import { referenceOf } from './document.ts';
import { type Heading, tableOfContents } from './headings.ts';
import { escapeHtml, filterHtml, type OpenTags } from './html-tags.ts';
import { schemeOf } from './links.ts';
import { renderMedia } from './media.ts';
import { parser } from './parser.ts';
import {
  type ResolvedReference,
  type ResolvedReferences,
  referenceKey,
  type WrittenReference,
} from './references/reference.ts';
import { type Repository, repositoryAddress } from './repository-links.ts';
import { renderWikiLinks } from './wiki-links.ts';

/** Context of the rendering functions. */
export interface RenderContext {
  readonly instanceUrl: string;
  readonly repository?: Repository;
  /** Whether references, emoji and the like are rendered, or left as plain text. */
  readonly gfm: boolean;
  readonly resolved: ResolvedReferences;
  readonly headings: ReadonlyMap<Token, Heading>;
  readonly openTags: OpenTags;
}

const contexts = new WeakMap<object, RenderContext>();

type RenderRule = (token: Token, context: RenderContext, all: { renderer: Renderer; env: Env }) => string;

function attributes(pairs: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(pairs)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    .join('');
}

/** Attributes of the link to the target of a reference. */
function referenceAttributes({ reference, written, part, fragment }: WrittenReference, found: ResolvedReference) {
  const type = found.leadsOut ? 'external_issue' : reference.type;
  return {
    href: `${found.href}${part === undefined ? '' : `/${part}`}${fragment === undefined ? '' : `#${fragment}`}`,
    'data-reference-type': type,
    'data-original': written,
    'data-project': found.projectId,
    'data-group': found.groupId,
    [`data-${type.replace('_', '-')}`]: found.id,
    title: found.title,
    class: `gfm gfm-${type === 'user' ? 'project_member' : type}`,
    ...(found.leadsOut && { rel: 'nofollow noreferrer noopener', target: '_blank' }),
  };
}

function renderReference(written: WrittenReference, { resolved }: RenderContext): string | undefined {
  const { reference, show, part, fragment } = written;
  const found = resolved.get(referenceKey(reference));
  if (found === undefined) return undefined;
  const within = [part, fragment?.startsWith('note_') && `comment ${fragment.slice(5)}`].filter(Boolean).join(', ');
  // Shows `Title (#1 - closed)` for a reference that would be shown as `#1 (closed)` without its title.
  const named = found.text.replace(/ \((\w+)\)$/, ' - $1');
  const summary = show === 'summary' && found.summary !== undefined ? ` • ${found.summary}` : '';
  const text =
    show !== undefined && found.title !== undefined
      ? `${found.title} (${named})${summary}`
      : found.text + (within && ` (${within})`);
  return `<a${attributes(referenceAttributes(written, found))}>${escapeHtml(text)}</a>`;
}

const rewriteIn =
  ({ repository }: RenderContext) =>
  (kind: 'link' | 'image', address: string) =>
    repositoryAddress(kind, address, repository);

function renderCode(token: Token): string {
  const language = /^[\w+#.:-]{1,50}/.exec(token.info.trim())?.[0] ?? '';
  const code = escapeHtml(token.content);
  if (language === 'math') {
    return `<pre class="code math js-render-math" data-math-style="display"><code>${code}</code></pre>\n`;
  }
  const name = language.split(':', 1)[0] || 'plaintext';
  const params = language.slice(name.length + 1) || undefined;
  const rendered = ['mermaid', 'plantuml', 'kroki'].includes(name) ? ` class="js-render-${name}"` : '';
  const pre = attributes({
    class: `code highlight js-syntax-highlight language-${name}`,
    lang: name,
    'data-lang-params': token.meta?.frontMatter === true ? 'frontmatter' : params,
  });
  return `<pre${pre}><code${rendered}>${code}</code></pre>\n`;
}

function renderLink(token: Token, context: RenderContext): string {
  const written = context.gfm ? referenceOf(token) : undefined;
  const found = written && context.resolved.get(referenceKey(written.reference));
  if (written && found) {
    const link = referenceAttributes(written, found);
    // A URL keeps its own target, including any query and fragment.
    const href = written.isAddress ? String(token.attrGet('href')) : link.href;
    return `<a${attributes({ ...link, href, 'data-link': 'true' })}>`;
  }
  const address = rewriteIn(context)('link', String(token.attrGet('href') ?? ''));
  const scheme = schemeOf(address);
  const leadsOut =
    (scheme === 'http' || scheme === 'https' || address.startsWith('//')) &&
    !(address === context.instanceUrl || address.startsWith(`${context.instanceUrl}/`));
  const title = token.attrGet('title');
  return `<a${attributes({
    href: address,
    title: title === null ? undefined : String(title),
    rel: leadsOut ? 'nofollow noreferrer noopener' : undefined,
    target: leadsOut ? '_blank' : undefined,
  })}>`;
}

const renderRules: Readonly<Record<string, RenderRule>> = {
  // Text at a deeper level may be inside a link.
  text: ({ content, level }, { repository, gfm }) =>
    gfm && level === 0 && repository?.wikiPage !== undefined && content.includes('[[')
      ? renderWikiLinks(content, repository)
      : escapeHtml(content),
  plain_text: ({ content }) => escapeHtml(content),
  caption_open: () => '<caption>',
  fence: renderCode,
  code_block: renderCode,
  code_inline: (token) => {
    const style = token.meta?.math;
    const math = style && attributes({ class: 'code math js-render-math', 'data-math-style': String(style) });
    const code = escapeHtml(token.content);
    const chip = isColor(token.content)
      ? `<span class="gfm-color_chip"><span style="background-color: ${code};"></span></span>`
      : '';
    return `<code${math ?? ''}>${code}${chip}</code>`;
  },
  html_block: (token, context) => filterHtml(token.content, rewriteIn(context), context.openTags),
  html_inline: (token, context) => filterHtml(token.content, rewriteIn(context), context.openTags),
  checkbox: (token, { gfm }) => (gfm ? token.content : token.markup),
  emoji: (token, { gfm }) => {
    const rendered = gfm ? emojiElement(String(token.meta?.name ?? '')) : undefined;
    return rendered ?? escapeHtml(token.content);
  },
  reference: (token, context, { renderer, env }) => {
    const written = referenceOf(token);
    const rendered = context.gfm && written ? renderReference(written, context) : undefined;
    if (rendered !== undefined) return rendered;
    return token.children ? renderer.renderInline(token.children, parser().options, env) : escapeHtml(token.content);
  },
  heading_open: (token, { headings }) => {
    const heading = headings.get(token);
    if (heading === undefined || heading.slug === '') return `<${token.tag} dir="auto">`;
    const anchor = attributes({
      id: `user-content-${heading.slug}`,
      class: 'anchor',
      href: `#${encodeURIComponent(heading.slug)}`,
      'aria-hidden': 'true',
    });
    return `<${token.tag} dir="auto"><a${anchor}></a>`;
  },
  link_open: renderLink,
  s_open: () => '<del>',
  s_close: () => '</del>',
  alert_open: ({ meta }) =>
    `<div${attributes({ class: `markdown-alert markdown-alert-${meta?.kind}`, dir: 'auto' })}>\n<p class="markdown-alert-title">${escapeHtml(String(meta?.title))}</p>\n`,
  image: (token, context, { renderer, env }) => {
    const source = rewriteIn(context)('image', String(token.attrGet('src') ?? ''));
    const alt = renderer.renderInlineAsText(token.children ?? [], parser().options, env);
    const given = (name: string) => token.attrGet(name) ?? undefined;
    const sizes = attributes({ width: given('width'), height: given('height') });
    const media = renderMedia(source, alt, sizes);
    return media ?? `<img${attributes({ src: source, alt, title: given('title') })}${sizes}>`;
  },
  footnote_reference: ({ meta }) => {
    const { name, number, use } = meta ?? {};
    const id = use === 1 ? `fnref-${name}` : `fnref-${name}-${use}`;
    return `<sup class="footnote-ref"><a${attributes({ href: `#fn-${name}`, id })}>${number}</a></sup>`;
  },
  footnotes_open: () => '<section class="footnotes" data-footnotes=""><ol>\n',
  footnotes_close: () => '</ol></section>\n',
  footnote_open: ({ meta }) => `<li${attributes({ id: `fn-${meta?.name}` })}>\n`,
  footnote_close: ({ meta }) =>
    `<a${attributes({ href: `#fnref-${meta?.name}`, class: 'footnote-backref', 'aria-label': `Back to reference ${meta?.number}` })}>↩</a></li>\n`,
  table_of_contents: (token, { gfm, headings }) =>
    gfm ? tableOfContents(headings.values()) : `<p>${escapeHtml(token.content)}</p>\n`,
};

const directed = ['paragraph_open', 'bullet_list_open', 'ordered_list_open', 'blockquote_open', 'table_open'];

let prepared: MarkdownIt | undefined;

/** The parser with its rendering rules. */
function preparedRenderer(): MarkdownIt {
  if (prepared !== undefined) return prepared;
  const markdown = parser();
  for (const [type, renderTokens] of Object.entries(renderRules)) {
    markdown.renderer.rules[type] = (tokens, at, _, env = {}, renderer) => {
      const token = tokens[at];
      const context = contexts.get(env);
      return token && context ? renderTokens(token, context, { renderer, env }) : '';
    };
  }
  for (const type of directed) {
    markdown.renderer.rules[type] = (tokens, at, options, _, renderer) => {
      const { attrs } = tokens[at] ?? {};
      if (!attrs?.some(([name]) => name === 'dir')) tokens[at]?.attrPush(['dir', 'auto']);
      return renderer.renderToken(tokens, at, options);
    };
  }
  for (const type of ['th_open', 'td_open']) {
    markdown.renderer.rules[type] = (tokens, at) => {
      const align = /^text-align:(left|center|right)$/.exec(String(tokens[at]?.attrGet('style') ?? ''))?.[1];
      const sortable = tokens[at]?.meta?.sortable === true ? 'true' : undefined;
      return `<${tokens[at]?.tag}${attributes({ align, 'data-sortable': sortable })}>`;
    };
  }
  prepared = markdown;
  return markdown;
}

/** Renders tokens to HTML that is not yet sanitized. */
export function renderTokens(tokens: Token[], context: RenderContext): string {
  const env: Env = {};
  contexts.set(env, context);
  const markdown = preparedRenderer();
  return markdown.renderer.render(tokens, markdown.options, env);
}
