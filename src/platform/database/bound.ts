import { type Expression, type OperationNode, type RawBuilder, type SqlBool, sql, ValueNode } from 'kysely';
import type { Engine } from './engine.ts';

/** Takes a value's place in a compiled query; `Given` is what an execution is given. */
export class Placeholder<Given> {
  readonly read: (given: Given) => unknown;

  constructor(read: (given: Given) => unknown) {
    this.read = read;
  }
}

/** The parameters of one execution: what placeholders read from what it is given, and the constants as they are. */
export function bind<Given>(parameters: readonly unknown[], given: Given): unknown[] {
  const values = new Array<unknown>(parameters.length);
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    values[index] = value instanceof Placeholder ? value.read(given) : value;
  }
  return values;
}

/** A value that is given at each execution, for use wherever a query takes an expression. */
export class Bound<V> implements Expression<V> {
  readonly #read: (given: never) => V;

  constructor(read: (given: never) => V) {
    this.#read = read;
  }

  get expressionType(): V | undefined {
    return undefined;
  }

  /** What a function makes of the value, worked out before it is bound. */
  to<W>(change: (value: V) => W): Bound<W> {
    const read = this.#read;
    return new Bound((given) => change(read(given)));
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(new Placeholder(this.#read));
  }
}

/** A list of any length that is given at each execution: `where('id', 'in', list)`. */
export class BoundList<E extends number | string = number> implements Expression<E> {
  readonly #node: OperationNode;
  readonly #array: RawBuilder<unknown> | undefined;

  constructor(engine: Engine, read: (given: never) => readonly E[], type: 'bigint' | 'text' = 'bigint') {
    // One parameter for the whole list: engines limit how many there may be, and each length would be another text.
    this.#array =
      engine === 'sqlite' ? undefined : sql`${new Bound((given) => toArrayLiteral(read(given)))}::${sql.raw(type)}[]`;
    const list = this.#array
      ? sql`(select unnest(${this.#array}))`
      : sql`(select value from json_each(${new Bound((given) => JSON.stringify(read(given)))}))`;
    this.#node = list.toOperationNode();
  }

  /**
   * Whether a column is in the list, where the column's index is to be asked for each: PostgreSQL takes a set for a table
   * to join, and reads all rows in order for that when it thinks little of what else is asked of them.
   */
  has(column: Expression<unknown>): RawBuilder<SqlBool> {
    return this.#array ? sql<SqlBool>`${column} = any(${this.#array})` : sql<SqlBool>`${column} in ${this}`;
  }

  get expressionType(): E | undefined {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return this.#node;
  }
}

/** What is no list stays what it is, to be refused as a parameter. */
function toArrayLiteral(list: readonly (number | string)[]): unknown {
  if (!Array.isArray(list)) return list;
  return `{${list.map((item) => (typeof item === 'number' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}
