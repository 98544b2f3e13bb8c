import { LRUCache } from 'lru-cache';
import type { Effort } from '../limits.ts';
import { ExpressionFault, type Operator } from './expression-lexer.ts';
import { type Expression, parseExpression } from './expression-parser.ts';
import { type Pattern, patternOf } from './pattern.ts';

/** Undefined where there is no such variable. */
export type VariableLookup = (name: string) => string | undefined;

type Result = string | boolean | null | Pattern;

/** The same few texts stand in hundreds of jobs. Parsing is a function of the text alone, so nothing here ever goes stale. */
const parsed = new LRUCache<string, Expression>({ max: 500 });
const longestKept = 500;

function parse(text: string): Expression {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const expression = parseExpression(text);
  if (text.length <= longestKept) parsed.set(text, expression);
  return expression;
}

export function isExpression(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof ExpressionFault) return false;
    throw error;
  }
}

/** Whether the expression holds. It has been looked at before: what is none throws. */
export function holds(text: string, variables: VariableLookup, effort?: Effort): boolean {
  const result = evaluate(parse(text), { variables, effort });
  if (typeof result === 'string') return result.trim() !== '';
  return result !== null && result !== false;
}

interface Ground {
  readonly variables: VariableLookup;
  readonly effort: Effort | undefined;
}

function evaluate(expression: Expression, ground: Ground): Result {
  switch (expression.type) {
    case 'variable':
      return ground.variables(expression.name) ?? null;
    case 'text':
    case 'boolean':
      return expression.value;
    case 'pattern':
      return expression.pattern;
    case 'null':
      return null;
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, ground);
  }
}

function binary(operator: Operator, left: Expression, right: Expression, ground: Ground): Result {
  const value = evaluate(left, ground);
  // The deciding operand itself is the result, and an empty text decides as a true one: `$EMPTY || $B` is empty.
  if (operator === '&&') return value === null || value === false ? value : evaluate(right, ground);
  if (operator === '||') return value === null || value === false ? evaluate(right, ground) : value;
  const other = evaluate(right, ground);
  if (operator === '==') return same(value, other);
  if (operator === '!=') return !same(value, other);
  const found = matches(value, other, ground.effort);
  return operator === '=~' ? found : !found;
}

function same(left: Result, right: Result): boolean {
  // `true` and `false` are compared as words with what variables hold.
  const text = (value: Result) => (typeof value === 'boolean' ? String(value) : value);
  return text(left) === text(right);
}

function matches(left: Result, right: Result, effort: Effort | undefined): boolean {
  if (right === null) return false;
  const text = left === null || typeof left === 'object' ? '' : String(left);
  // A variable may hold a pattern, slashes included; other text is searched for the left side.
  const pattern = typeof right === 'object' ? right : patternOf(String(right));
  if (pattern === undefined) return String(right).includes(text);
  effort?.spend(pattern.weight * text.length);
  return pattern.test(text);
}
