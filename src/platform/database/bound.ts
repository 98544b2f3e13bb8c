import { type Expression, type OperationNode, sql, ValueNode } from 'kysely';
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

  constructor(engine: Engine, read: (given: never) => readonly E[], type: 'bigint' | 'text' = 'bigint') {
    // One parameter for the whole list: engines limit how many there may be, and each length would be another text.
    const list =
      engine === 'sqlite'
        ? sql`(select value from json_each(${new Bound((given) => JSON.stringify(read(given)))}))`
        : sql`(select unnest(${new Bound((given) => toArrayLiteral(read(given)))}::${sql.raw(type)}[]))`;
    this.#node = list.toOperationNode();
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
