import type { MarkdownIt, StateCore, Token } from 'markdown-it';

const definition = /^:[ \t]+(?=\S)/;

/** Splits lines into definitions: each starts with a colon and continues on lines without one. */
function definitionsIn(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of lines) {
    if (definition.test(line)) found.push(line.replace(definition, ''));
    else found.push(`${found.pop() ?? ''}\n${line}`);
  }
  return found;
}

/** Lines of the paragraph at this token. */
const linesAt = (tokens: readonly Token[], at: number): string[] | undefined =>
  tokens[at]?.type === 'paragraph_open' ? tokens[at + 1]?.content.split('\n') : undefined;

/** Collects the terms and definitions starting at a token, and the index of the token after them. */
function listAt(tokens: readonly Token[], start: number): { terms: [string, string[]][]; end: number } {
  const terms: [string, string[]][] = [];
  let at = start;
  for (let lines = linesAt(tokens, at); lines !== undefined; lines = linesAt(tokens, at)) {
    const [first = '', ...rest] = lines;
    const last = terms.at(-1);
    if (definition.test(first) && last) last[1].push(...definitionsIn(lines));
    else if (definition.test(rest[0] ?? '')) terms.push([first, definitionsIn(rest)]);
    else if (rest.length === 0 && definition.test(linesAt(tokens, at + 3)?.[0] ?? '')) terms.push([first, []]);
    else break;
    at += 3;
  }
  return { terms, end: at };
}

function draw(state: StateCore, terms: readonly [string, string[]][], level: number): Token[] {
  const tokens: Token[] = [];
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, depth: number, content = '') => {
    const token = new state.Token(type, tag, nesting);
    Object.assign(token, { block: true, level: level + depth, content, ...(type === 'inline' && { children: [] }) });
    tokens.push(token);
  };
  push('description_list_open', 'dl', 1, 0);
  for (const [term, definitions] of terms) {
    for (const [tag, text] of [['dt', term], ...definitions.map((each) => ['dd', each])]) {
      push(`${tag}_open`, tag ?? '', 1, 1);
      push('inline', '', 0, 2, text);
      push(`${tag}_close`, tag ?? '', -1, 1);
    }
  }
  push('description_list_close', 'dl', -1, 0);
  return tokens;
}

/** Description lists: terms followed by definitions that start with a colon. */
export function descriptionListRule(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'description_lists', (state) => {
    const { tokens } = state;
    if (!tokens.some(({ type, content }) => type === 'inline' && /(?:^|\n):[ \t]/.test(content))) return;
    const result: Token[] = [];
    for (let at = 0; at < tokens.length; ) {
      const { terms, end } = listAt(tokens, at);
      const next = terms.length === 0 ? tokens.slice(at, at + 1) : draw(state, terms, tokens[at]?.level ?? 0);
      for (const token of next) result.push(token);
      at = terms.length === 0 ? at + 1 : end;
    }
    tokens.length = 0;
    for (const token of result) tokens.push(token);
  });
}
