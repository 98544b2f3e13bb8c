import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';

const label = /\[\^([^\s[\]]{1,100})\]/y;

/** Footnotes of a text by label; used ones are numbered in the order of their first use. */
interface Footnotes {
  readonly defined: Map<string, Token[]>;
  readonly used: Map<string, { number: number; uses: number }>;
}

const kept = new WeakMap<object, Footnotes>();

function footnotesOf(env: object): Footnotes {
  const known = kept.get(env);
  if (known) return known;
  const fresh: Footnotes = { defined: new Map(), used: new Map() };
  kept.set(env, fresh);
  return fresh;
}

function labelAt(text: string, at: number): string | undefined {
  label.lastIndex = at;
  return text.startsWith('[^', at) ? label.exec(text)?.[1] : undefined;
}

/** Parses `[^label]: text` with its indented continuation, and stores its tokens separately. */
function define(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const name = labelAt(state.src, start);
  const afterLabel = start + (name?.length ?? 0) + 3;
  if (name === undefined || state.src[afterLabel] !== ':') return false;
  if (silent) return true;
  if (state.level > 0) return false;

  const before = {
    begin: state.bMarks[startLine] ?? 0,
    shift: state.tShift[startLine] ?? 0,
    count: state.sCount[startLine] ?? 0,
  };
  let text = afterLabel + 1;
  while (state.src[text] === ' ' || state.src[text] === '\t') text += 1;
  const outer = state.tokens;
  const parent = state.parentType;
  state.tokens = [];
  state.bMarks[startLine] = afterLabel + 1;
  state.tShift[startLine] = text - afterLabel - 1;
  state.sCount[startLine] = state.blkIndent + 4;
  state.blkIndent += 4;
  state.level += 1;
  state.parentType = 'reference';
  state.md.block.tokenize(state, startLine, endLine);
  state.parentType = parent;
  state.level -= 1;
  state.blkIndent -= 4;
  state.bMarks[startLine] = before.begin;
  state.tShift[startLine] = before.shift;
  state.sCount[startLine] = before.count;

  const { defined } = footnotesOf(state.env);
  if (!defined.has(name)) defined.set(name, state.tokens);
  state.tokens = outer;
  return true;
}

function use(state: StateInline, silent: boolean): boolean {
  const name = labelAt(state.src, state.pos);
  const { defined, used } = footnotesOf(state.env);
  if (name === undefined || !defined.has(name)) return false;
  if (!silent) {
    const footnote = used.get(name) ?? { number: used.size + 1, uses: 0 };
    footnote.uses += 1;
    used.set(name, footnote);
    state.push('footnote_reference', '', 0).meta = { name, number: footnote.number, use: footnote.uses };
  }
  state.pos += name.length + 3;
  return true;
}

/** Appends the used footnotes to the text; those referenced only by other footnotes come last. */
function append(state: StateCore): void {
  const { defined, used } = footnotesOf(state.env);
  if (used.size === 0) return;
  const all: Token[] = [new state.Token('footnotes_open', '', 1)];
  for (const [name, footnote] of used) {
    const tokens = defined.get(name) ?? [];
    for (const token of tokens) {
      if (token.type !== 'inline') continue;
      token.children = [];
      state.md.inline.parse(token.content, state.md, state.env, token.children);
    }
    const open = new state.Token('footnote_open', '', 1);
    const close = new state.Token('footnote_close', '', -1);
    open.meta = { name, number: footnote.number };
    close.meta = { name, number: footnote.number, footnote };
    all.push(open);
    for (const token of tokens) all.push(token);
    all.push(close);
  }
  all.push(new state.Token('footnotes_close', '', -1));
  for (const token of all) state.tokens.push(token);
}

/** Footnotes: `[^1]` in the text, and `[^1]: content` anywhere. */
export function footnoteRule(markdown: MarkdownIt): void {
  markdown.block.ruler.before('reference', 'footnote', define, { alt: ['paragraph', 'reference'] });
  markdown.inline.ruler.before('link', 'footnote', use);
  markdown.core.ruler.after('inline', 'footnotes', append);
}
