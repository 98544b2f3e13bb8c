import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { emojiName } from '../../../platform/emoji.ts';
import { referenceInAddress } from '../references/address.ts';
import { findReferences } from '../references/find.ts';
import { parseWholeReference } from '../references/read.ts';
import type { WrittenReference } from '../references/reference.ts';

const emojiPattern = /:([a-z0-9_+-]{1,60}):/g;

/** Splits text into references, emoji names and the text between them. */
function piecesOf(text: string, state: StateCore, level: number): Token[] {
  const found = [
    ...findReferences(text).map((written) => ({ ...written, type: 'reference' as const, meta: { written } })),
    ...[...text.matchAll(emojiPattern)].flatMap((match) => {
      const name = emojiName(match[1] ?? '');
      if (name === undefined) return [];
      return [{ start: match.index, end: match.index + match[0].length, type: 'emoji' as const, meta: { name } }];
    }),
  ].sort((a, b) => a.start - b.start);

  const pieces: Token[] = [];
  const push = (type: string, content: string, meta: Record<string, unknown> | null = null) => {
    const token = new state.Token(type, '', 0);
    token.content = content;
    token.level = level;
    token.meta = meta;
    pieces.push(token);
  };
  let done = 0;
  for (const { start, end, type, meta } of found) {
    if (start < done) continue;
    if (start > done) push('text', text.slice(done, start));
    push(type, text.slice(start, end), meta);
    done = end;
  }
  if (done < text.length) push('text', text.slice(done));
  return pieces;
}

/** The reference that a bare link to this instance stands for, which replaces the three tokens of the link. */
function addressAt(children: readonly Token[], at: number, instanceUrl: string): WrittenReference | undefined {
  const open = children[at];
  const bare = open?.markup === 'linkify' || open?.markup === 'autolink';
  if (!bare || children[at + 2]?.type !== 'link_close') return undefined;
  return referenceInAddress(String(open.attrGet('href') ?? ''), instanceUrl);
}

/** Link targets are percent-encoded, but may also contain an unencoded percent sign. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** `[words](#1)`: marks a link whose target is a reference. */
function noteWhereItLeads(open: Token, instanceUrl: string): void {
  const written = parseWholeReference(decoded(String(open.attrGet('href') ?? '')), instanceUrl);
  if (written) open.meta = { written };
}

function rewritten(children: readonly Token[], state: StateCore, instanceUrl: string): Token[] {
  const result: Token[] = [];
  let links = 0;
  for (let at = 0; at < children.length; at++) {
    const token = children[at];
    if (token === undefined) break;
    const address = token.type === 'link_open' && links === 0 ? addressAt(children, at, instanceUrl) : undefined;
    if (address) {
      const reference = new state.Token('reference', '', 0);
      reference.content = address.written;
      reference.meta = { written: address };
      reference.level = token.level;
      reference.children = children.slice(at, at + 3);
      result.push(reference);
      at += 2;
      continue;
    }
    if (token.type === 'link_open' && links === 0) noteWhereItLeads(token, instanceUrl);
    if (token.type === 'link_open' || (token.type === 'html_inline' && /^<a[\s>]/i.test(token.content))) links += 1;
    if (token.type === 'link_close' || (token.type === 'html_inline' && /^<\/a\s*>/i.test(token.content))) {
      links = Math.max(0, links - 1);
    }
    if (token.type === 'text' && links === 0) result.push(...piecesOf(token.content, state, token.level));
    else result.push(token);
  }
  return result;
}

/** Turns references into tokens, outside of code and link texts. */
export function referenceRule(markdown: MarkdownIt): void {
  // Must run before escaped characters are joined with the text around them: `\#1` is not a reference.
  markdown.core.ruler.before('text_join', 'references', (state) => {
    const instanceUrl = typeof state.env.instanceUrl === 'string' ? state.env.instanceUrl : '';
    for (const token of state.tokens) {
      if (token.type === 'inline' && token.children) token.children = rewritten(token.children, state, instanceUrl);
    }
  });
}
