/** A value of an expression. */
export type Operand = string | number | boolean | null | readonly Operand[] | { readonly [key: string]: Operand };

/** An expression that cannot be evaluated; the job fails with this message. */
export class ExpressionError extends Error {}

/** A number, string, name or operator. */
const token =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||[-+*/%<>!.[\](),]))/sy;

type Token =
  | { readonly type: 'value'; readonly value: Operand }
  | { readonly type: 'name' | 'sign'; readonly text: string };

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v' };
const literals = new Map<string, Operand>([
  ['null', null],
  ['true', true],
  ['false', false],
]);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  const end = text.trimEnd().length;
  while (token.lastIndex < end) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new ExpressionError(`unexpected input at "${text.slice(at, at + 20)}"`);
    const [, number, double, single, name, sign] = match;
    if (number !== undefined) tokens.push({ type: 'value', value: Number(number) });
    else if (double !== undefined) tokens.push({ type: 'value', value: unescaped(double) });
    else if (single !== undefined) tokens.push({ type: 'value', value: single.replace(/\\([\\'])/g, '$1') });
    else if (name !== undefined) {
      const value = literals.get(name);
      tokens.push(value === undefined ? { type: 'name', text: name } : { type: 'value', value });
    } else tokens.push({ type: 'sign', text: sign as string });
  }
  return tokens;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_whole, code?: string, one = '') =>
    code === undefined ? (escapes[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Binary operators by precedence, lowest first. */
const levels = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']];
const maxDepth = 100;

/**
 * Evaluates an expression of the Moa language, as far as it applies to job inputs: literals, arrays, access to
 * properties, operators and functions. `&&` and `||` evaluate both sides, which have no effects.
 */
export function evaluate(text: string, names: Readonly<Record<string, Operand>>): Operand {
  return new Evaluation(tokenize(text), names).result();
}

class Evaluation {
  readonly #tokens: readonly Token[];
  readonly #names: Readonly<Record<string, Operand>>;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], names: Readonly<Record<string, Operand>>) {
    this.#tokens = tokens;
    this.#names = names;
  }

  result(): Operand {
    const value = this.#binary(0);
    if (this.#at < this.#tokens.length) throw new ExpressionError('unexpected text after the expression');
    return value;
  }

  #sign(...signs: readonly string[]): string | undefined {
    const next = this.#tokens[this.#at];
    if (next?.type !== 'sign' || !signs.includes(next.text)) return undefined;
    this.#at += 1;
    return next.text;
  }

  #expect(sign: string): void {
    if (this.#sign(sign) === undefined) throw new ExpressionError(`expected "${sign}"`);
  }

  #binary(level: number): Operand {
    const signs = levels[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let sign = this.#sign(...signs); sign !== undefined; sign = this.#sign(...signs)) {
      left = apply(sign, left, this.#binary(level + 1));
    }
    return left;
  }

  #unary(): Operand {
    const sign = this.#sign('!', '-', '+');
    if (sign === undefined) return this.#access();
    const value = this.#nested(() => this.#unary());
    if (sign === '!') return !isTruthy(value);
    return apply('*', value, sign === '-' ? -1 : 1);
  }

  #access(): Operand {
    let value = this.#primary();
    for (let sign = this.#sign('.', '['); sign !== undefined; sign = this.#sign('.', '[')) {
      const key = sign === '.' ? this.#name() : this.#binary(0);
      if (sign === '[') this.#expect(']');
      value = property(value, key);
    }
    return value;
  }

  #name(): string {
    const next = this.#tokens[this.#at];
    if (next?.type !== 'name') throw new ExpressionError('expected a name');
    this.#at += 1;
    return next.text;
  }

  #primary(): Operand {
    const next = this.#tokens[this.#at];
    if (next?.type === 'value') {
      this.#at += 1;
      return next.value;
    }
    if (next?.type === 'name') {
      this.#at += 1;
      return this.#sign('(') === undefined ? property(this.#names, next.text) : call(next.text, this.#list(')'));
    }
    if (this.#sign('[') !== undefined) return this.#list(']');
    this.#expect('(');
    const value = this.#nested(() => this.#binary(0));
    this.#expect(')');
    return value;
  }

  #list(end: string): Operand[] {
    const values: Operand[] = [];
    while (this.#sign(end) === undefined) {
      values.push(this.#nested(() => this.#binary(0)));
      if (this.#sign(',') !== undefined) continue;
      this.#expect(end);
      break;
    }
    return values;
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ExpressionError('the expression is nested too deeply');
    const value = read();
    this.#depth -= 1;
    return value;
  }
}

function property(value: Operand, key: Operand): Operand {
  if (typeof value === 'object' && value !== null && (typeof key === 'string' || Array.isArray(value))) {
    if (Object.hasOwn(value, String(key))) return (value as Readonly<Record<string, Operand>>)[String(key)] ?? null;
  }
  throw new ExpressionError(`there is no "${asText(key)}"`);
}

function call(name: string, values: readonly Operand[]): Operand {
  const [value] = values;
  if (value === undefined || values.length > 1) throw new ExpressionError(`${name}() takes one argument`);
  if (name === 'str') return asText(value);
  if (name === 'bool') return isTruthy(value);
  if (name !== 'num') throw new ExpressionError(`there is no function "${name}"`);
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number)) throw new ExpressionError(`"${asText(value)}" is not a number`);
  return number;
}

function apply(sign: string, left: Operand, right: Operand): Operand {
  if (sign === '&&') return isTruthy(left) ? right : left;
  if (sign === '||') return isTruthy(left) ? left : right;
  if (sign === '==' || sign === '!=') return (JSON.stringify(left) === JSON.stringify(right)) === (sign === '==');
  if (typeof left === 'string' && typeof right === 'string') {
    if (sign === '+') return left + right;
    const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
    if (sign in comparisons) return compare(sign, order);
  }
  if (typeof left !== 'number' || typeof right !== 'number') {
    throw new ExpressionError(`"${sign}" does not apply to these types`);
  }
  if (sign in comparisons) return compare(sign, left - right);
  if (right === 0 && (sign === '/' || sign === '%')) throw new ExpressionError('division by zero');
  return arithmetic(sign, left, right);
}

const comparisons = { '<': true, '<=': true, '>': true, '>=': true };

function compare(sign: string, order: number): boolean {
  return sign === '<' ? order < 0 : sign === '<=' ? order <= 0 : sign === '>' ? order > 0 : order >= 0;
}

function arithmetic(sign: string, left: number, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '*' ? left * right : sign === '/' ? left / right : left % right;
}

function isTruthy(value: Operand): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.keys(value).length > 0;
}

/** The text of a value, as inserted into other text. */
export function asText(value: Operand): string {
  if (typeof value === 'string') return value;
  return value === null ? '<null>' : JSON.stringify(value);
}
