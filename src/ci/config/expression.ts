import { ExpressionFault, type Operator } from './expression-lexer.ts';
import { type Expression, parseExpression } from './expression-parser.ts';
import { type Pattern, patternOf } from './pattern.ts';

/** Undefined where there is no such variable. */
export type VariableLookup = (name: string) => string | undefined;

type Result = string | boolean | null | Pattern;

export function isExpression(text: string): boolean {
  try {
    parseExpression(text);
    return true;
  } catch (error) {
    if (error instanceof ExpressionFault) return false;
    throw error;
  }
}

/** Whether the expression holds. It has been looked at before: what is none throws. */
export function holds(text: string, variables: VariableLookup): boolean {
  const result = evaluate(parseExpression(text), variables);
  if (typeof result === 'string') return result.trim() !== '';
  return result !== null && result !== false;
}

function evaluate(expression: Expression, variables: VariableLookup): Result {
  switch (expression.type) {
    case 'variable':
      return variables(expression.name) ?? null;
    case 'text':
      return expression.value;
    case 'pattern':
      return expression.pattern;
    case 'null':
      return null;
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, variables);
  }
}

function binary(operator: Operator, left: Expression, right: Expression, variables: VariableLookup): Result {
  const value = evaluate(left, variables);
  // The deciding operand itself is the result, and an empty text decides as a true one: `$EMPTY || $B` is empty.
  if (operator === '&&') return value === null || value === false ? value : evaluate(right, variables);
  if (operator === '||') return value === null || value === false ? evaluate(right, variables) : value;
  const other = evaluate(right, variables);
  if (operator === '==') return same(value, other);
  if (operator === '!=') return !same(value, other);
  const found = matches(value, other);
  return operator === '=~' ? found : !found;
}

function same(left: Result, right: Result): boolean {
  // `true` and `false` are written words here, so that a comparison's outcome may be compared with them.
  const text = (value: Result) => (typeof value === 'boolean' ? String(value) : value);
  return text(left) === text(right);
}

function matches(left: Result, right: Result): boolean {
  if (right === null) return false;
  const text = left === null || typeof left === 'object' ? '' : String(left);
  if (typeof right === 'object') return right.test(text);
  // A variable may hold a pattern, slashes included; other text is searched for the left side.
  return patternOf(String(right))?.test(text) ?? String(right).includes(text);
}
