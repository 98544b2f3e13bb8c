import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';

const kinds: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
};
const alert = /^\[!([a-z]+)\](?:[ \t]+([^ \t].*)?)?$/is;
const fence = /^(>{3,})(?:[ \t]+(\[![a-z]+\].*))?$/i;

/** Parses the first line of an alert: `[!note]` or `[!note] Custom title`. */
function readAlert(line: string): { kind: string; title: string } | undefined {
  const [, word = '', title = ''] = alert.exec(line.trim()) ?? [];
  const kind = word.toLowerCase();
  const usual = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return usual === undefined ? undefined : { kind, title: title.trim() || usual };
}

const lineAt = (state: StateBlock, line: number) =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();

const isIndented = (state: StateBlock, line: number) => (state.sCount[line] ?? 0) - state.blkIndent >= 4;

/**
 * Lines before which a fence is known not to be closed, by fence and indentation, so that a thousand opening fences are
 * searched only once.
 */
const endless = new WeakMap<StateBlock, Map<string, number>>();

/** Finds the closing line of a quote: the same fence alone on a line, outside of code. */
function endOf(state: StateBlock, startLine: number, endLine: number, signs: string): number | undefined {
  const key = `${signs} ${state.blkIndent}`;
  const known = endless.get(state) ?? new Map<string, number>();
  endless.set(state, known);
  if (startLine < (known.get(key) ?? 0)) return undefined;
  let code: string | undefined;
  let line = startLine + 1;
  for (; line < endLine; line++) {
    const text = lineAt(state, line);
    if (text !== '' && (state.sCount[line] ?? 0) < state.blkIndent) break;
    const [ticks] = /^(?:`{3,}|~{3,})/.exec(text) ?? [];
    if (code === undefined && text === signs && !isIndented(state, line)) return line;
    if (code === undefined) code = ticks;
    else if (ticks?.startsWith(code) && text === ticks) code = undefined;
  }
  known.set(key, line);
  return undefined;
}

/** Multiline quotes: everything between two lines of `>>>`. */
function quote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (isIndented(state, startLine) || !state.src.startsWith('>>>', start)) return false;
  const [, signs, head] = fence.exec(lineAt(state, startLine)) ?? [];
  const found = head === undefined ? undefined : readAlert(head);
  if (signs === undefined || (head !== undefined && found === undefined)) return false;
  const end = endOf(state, startLine, endLine, signs);
  if (end === undefined) return false;
  if (silent) return true;

  const { parentType, lineMax } = state;
  const type = found ? 'alert' : 'blockquote';
  const open = state.push(`${type}_open`, found ? 'div' : 'blockquote', 1);
  open.markup = signs;
  open.map = [startLine, end + 1];
  open.meta = found ?? null;
  state.parentType = 'blockquote';
  state.lineMax = end;
  state.md.block.tokenize(state, startLine + 1, end);
  state.push(`${type}_close`, found ? 'div' : 'blockquote', -1).markup = signs;
  state.parentType = parentType;
  state.lineMax = lineMax;
  state.line = end + 1;
  return true;
}

/** The closing token of the quote that opens at a token. */
function closeOf(tokens: readonly Token[], at: number): Token | undefined {
  const level = tokens[at]?.level;
  for (let next = at + 1; next < tokens.length; next++) {
    if (tokens[next]?.type === 'blockquote_close' && tokens[next]?.level === level) return tokens[next];
  }
  return undefined;
}

/** Turns quotes whose first line is an alert marker into alerts. */
function markAlerts({ tokens }: StateCore): void {
  const emptied = new Set<Token>();
  for (const [at, open] of tokens.entries()) {
    const inline = tokens[at + 2];
    if (open.type !== 'blockquote_open' || tokens[at + 1]?.type !== 'paragraph_open' || inline === undefined) continue;
    const [first = '', ...rest] = inline.content.split('\n');
    const found = readAlert(first);
    const close = found && closeOf(tokens, at);
    if (!close) continue;
    open.type = 'alert_open';
    close.type = 'alert_close';
    open.tag = 'div';
    close.tag = 'div';
    open.meta = found;
    inline.content = rest.join('\n');
    if (inline.content === '') for (const token of tokens.slice(at + 1, at + 4)) emptied.add(token);
  }
  if (emptied.size === 0) return;
  const kept = tokens.filter((token) => !emptied.has(token));
  tokens.length = 0;
  for (const token of kept) tokens.push(token);
}

/** Multiline quotes between lines of `>>>`, and alerts such as `> [!note]`. */
export function quoteRules(markdown: MarkdownIt): void {
  markdown.block.ruler.before('blockquote', 'multiline_quote', quote, { alt: ['paragraph', 'reference', 'list'] });
  markdown.core.ruler.after('block', 'alerts', markAlerts);
}
