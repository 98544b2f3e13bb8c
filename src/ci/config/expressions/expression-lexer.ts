import { compilePattern, type Pattern } from './pattern.ts';

export type Token =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'pattern'; readonly pattern: Pattern; readonly source: string }
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'operator'; readonly operator: Operator }
  | { readonly type: 'open' }
  | { readonly type: 'close' };

export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||';

const maxTokens = 100;

/** Thrown for invalid expressions; callers report their own message. */
export class ExpressionFault extends Error {}

const rules: readonly (readonly [RegExp, (match: RegExpExecArray) => Token])[] = [
  [/(==|!=|=~|!~|&&|\|\|)/y, (match) => ({ type: 'operator', operator: match[1] as Operator })],
  [/\(/y, () => ({ type: 'open' })],
  [/\)/y, () => ({ type: 'close' })],
  [/\$(\w+)/y, (match) => ({ type: 'variable', name: match[1] as string })],
  // In rules of inputs: other inputs, by a name that no variable can have.
  [/\$\[\[\s*(inputs\.[\w-]+)\s*\]\]/y, (match) => ({ type: 'variable', name: match[1] as string })],
  [/"([^"]*)"|'([^']*)'/y, (match) => ({ type: 'text', value: match[1] ?? match[2] ?? '' })],
  [/\/((?:[^/\\]|\\.){2,}|\\.)\/([ismU]*)/y, pattern],
  [/null\b/y, () => ({ type: 'null' })],
  [/(true|false)\b/y, (match) => ({ type: 'boolean', value: match[1] === 'true' })],
];

function pattern(match: RegExpExecArray): Token {
  const compiled = compilePattern(match[1] as string, match[2]);
  if (compiled === undefined) throw new ExpressionFault('invalid regular expression');
  return { type: 'pattern', pattern: compiled, source: match[0] };
}

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let position = 0;
  for (;;) {
    while (/\s/.test(text[position] ?? '')) position++;
    if (position >= text.length) return found;
    if (found.length >= maxTokens) throw new ExpressionFault('too many tokens');
    const [token, end] = next(text, position);
    found.push(token);
    position = end;
  }
}

function next(text: string, position: number): [Token, number] {
  for (const [rule, createToken] of rules) {
    rule.lastIndex = position;
    const match = rule.exec(text);
    if (match !== null) return [createToken(match), rule.lastIndex];
  }
  throw new ExpressionFault('unknown lexeme found');
}
