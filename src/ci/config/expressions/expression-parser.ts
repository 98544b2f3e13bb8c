import { ExpressionFault, type Operator, type Token, tokens } from './expression-lexer.ts';
import type { Pattern } from './pattern.ts';

export type Expression =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'pattern'; readonly pattern: Pattern }
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'binary'; readonly operator: Operator; readonly left: Expression; readonly right: Expression };

/** Operators by precedence: comparisons bind tightest, then `&&`, then `||`. All are left-associative. */
const levels: readonly (readonly Operator[])[] = [['||'], ['&&'], ['==', '!=', '=~', '!~']];

/** Parses an expression; throws an ExpressionFault when it is invalid. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokens(text));
  const expression = parser.level(0);
  parser.end();
  return expression;
}

class Parser {
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(list: readonly Token[]) {
    this.tokens = list;
  }

  level(index: number): Expression {
    const operators = levels[index];
    if (operators === undefined) return this.primary();
    let left = this.level(index + 1);
    for (;;) {
      const token = this.tokens[this.position];
      if (token?.type !== 'operator' || !operators.includes(token.operator)) return left;
      this.position++;
      const right = this.level(index + 1);
      if (left.type === 'pattern') throw new ExpressionFault('a pattern must be on the right');
      left = { type: 'binary', operator: token.operator, left, right };
    }
  }

  private primary(): Expression {
    const token = this.tokens[this.position++];
    switch (token?.type) {
      case 'variable':
      case 'text':
      case 'pattern':
      case 'null':
      case 'boolean':
        return token;
      case 'open': {
        const inner = this.level(0);
        if (this.tokens[this.position++]?.type !== 'close') throw new ExpressionFault('a parenthesis is not closed');
        return inner;
      }
      default:
        throw new ExpressionFault('an operand is missing');
    }
  }

  end(): void {
    if (this.position < this.tokens.length) throw new ExpressionFault('an operator is missing');
  }
}
