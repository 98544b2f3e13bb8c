import { type Expression, type OperationNode, type RawBuilder, type SqlBool, sql, ValueNode } from 'kysely';
import type { Engine } from './engine.ts';

/** Marks the place of a value in a compiled query; `Given` is the type of the inputs of an execution. */
export class Placeholder<Inputs> {
  readonly read: (inputs: Inputs) => unknown;

  constructor(read: (inputs: Inputs) => unknown) {
    this.read = read;
  }
}

/** The parameters of one execution: placeholders are replaced by values read from the inputs, constants are kept. */
export function bind<Inputs>(parameters: readonly unknown[], inputs: Inputs): unknown[] {
  const values = new Array<unknown>(parameters.length);
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    values[index] = value instanceof Placeholder ? value.read(inputs) : value;
  }
  return values;
}

/** A value supplied at each execution, usable wherever a query takes an expression. */
export class Bound<V> implements Expression<V> {
  readonly #read: (inputs: never) => V;

  constructor(read: (inputs: never) => V) {
    this.#read = read;
  }

  get expressionType(): V | undefined {
    return undefined;
  }

  /** Transforms the value before it is bound. */
  to<W>(change: (value: V) => W): Bound<W> {
    const read = this.#read;
    return new Bound((inputs) => change(read(inputs)));
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(new Placeholder(this.#read));
  }
}

/** A list of any length supplied at each execution: `where('id', 'in', list)`. */
export class BoundList<E extends number | string = number> implements Expression<E> {
  readonly #node: OperationNode;
  readonly #array: RawBuilder<unknown> | undefined;

  constructor(engine: Engine, read: (inputs: never) => readonly E[], type: 'bigint' | 'text' = 'bigint') {
    // One parameter for the whole list: engines limit the number of parameters, and each length would be another
    // statement.
    this.#array =
      engine === 'sqlite' ? undefined : sql`${new Bound((inputs) => toArrayLiteral(read(inputs)))}::${sql.raw(type)}[]`;
    const list = this.#array
      ? sql`(select unnest(${this.#array}))`
      : sql`(select value from json_each(${new Bound((inputs) => JSON.stringify(read(inputs)))}))`;
    this.#node = list.toOperationNode();
  }

  /**
   * Whether the column is in the list, written so that the index of the column is used for each element. PostgreSQL
   * treats a set as a table to join, and may scan all rows in order if it underestimates how selective the other
   * conditions are.
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

/** A value that is not a list is passed on unchanged, so that the database rejects it. */
function toArrayLiteral(list: readonly (number | string)[]): unknown {
  if (!Array.isArray(list)) return list;
  return `{${list.map((item) => (typeof item === 'number' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}
