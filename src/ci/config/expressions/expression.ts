import { LRUCache } from 'lru-cache';
import type { EvaluationBudget } from '../limits.ts';
import { ExpressionFault, type Operator } from './expression-lexer.ts';
import { type Expression, parseExpression } from './expression-parser.ts';
import { type Pattern, patternOf } from './pattern.ts';

/** Returns undefined for unknown variables. */
export type VariableLookup = (name: string) => string | undefined;

type Result = string | boolean | null | Pattern;

/**
 * Cache of parsed expressions, which often repeat in hundreds of jobs. Parsing depends on the text only, so entries
 * never become stale.
 */
const parsed = new LRUCache<string, Expression>({ max: 500 });
const maxCachedLength = 500;

function parse(text: string): Expression {
  const cached = parsed.get(text);
  if (cached !== undefined) return cached;
  const expression = parseExpression(text);
  if (text.length <= maxCachedLength) parsed.set(text, expression);
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

/** Evaluates an expression that was validated before; throws when it is invalid. */
export function evaluateExpression(text: string, variables: VariableLookup, effort?: EvaluationBudget): boolean {
  const result = evaluate(parse(text), { variables, effort });
  if (typeof result === 'string') return result.trim() !== '';
  return result !== null && result !== false;
}

interface EvaluationContext {
  readonly variables: VariableLookup;
  readonly effort: EvaluationBudget | undefined;
}

function evaluate(expression: Expression, context: EvaluationContext): Result {
  switch (expression.type) {
    case 'variable':
      return context.variables(expression.name) ?? null;
    case 'text':
    case 'boolean':
      return expression.value;
    case 'pattern':
      return expression.pattern;
    case 'null':
      return null;
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, context);
  }
}

function binary(operator: Operator, left: Expression, right: Expression, context: EvaluationContext): Result {
  const value = evaluate(left, context);
  // The result is the deciding operand itself, and an empty string decides like a true value: `$EMPTY || $B` is empty.
  if (operator === '&&') return value === null || value === false ? value : evaluate(right, context);
  if (operator === '||') return value === null || value === false ? evaluate(right, context) : value;
  const other = evaluate(right, context);
  if (operator === '==') return equal(value, other);
  if (operator === '!=') return !equal(value, other);
  const found = matches(value, other, context.effort);
  return operator === '=~' ? found : !found;
}

function equal(left: Result, right: Result): boolean {
  // `true` and `false` are compared as text with variable values.
  const text = (value: Result) => (typeof value === 'boolean' ? String(value) : value);
  return text(left) === text(right);
}

function matches(left: Result, right: Result, effort: EvaluationBudget | undefined): boolean {
  if (right === null) return false;
  const text = left === null || typeof left === 'object' ? '' : String(left);
  // A variable may contain a pattern including slashes; other text is searched for the left side.
  const pattern = typeof right === 'object' ? right : patternOf(String(right));
  if (pattern === undefined) return String(right).includes(text);
  effort?.spend(pattern.weight * text.length);
  return pattern.test(text);
}
