import { Bound, BoundList } from './bound.ts';
import type { Engine } from './engine.ts';

type Present<T> = Exclude<T, undefined | null>;
type Absent<T> = undefined extends T ? undefined : null extends T ? undefined : never;
type Wrapped<T> = [T] extends [readonly (infer E)[]] ? readonly Wrapped<E>[] : Bound<T>;

/** The input for building a query: values and lists are replaced by placeholders, other properties are unchanged. */
export type BoundFilter<Q, V extends keyof Q, L extends keyof Q> = {
  readonly [K in keyof Q]: K extends V
    ? Wrapped<Present<Q[K]>> | Absent<Q[K]>
    : K extends L
      ? BoundList | Absent<Q[K]>
      : Q[K];
};

/** Which properties of a filter are bound at each execution; the others determine the shape of its query. */
export interface BoundProperties<Q extends object, V extends keyof Q, L extends keyof Q> {
  readonly values: ReadonlySet<V>;
  readonly lists: ReadonlySet<L>;
}

/** The placeholder type of a form. */
export type BoundFilterOf<F> = F extends BoundProperties<infer Q, infer V, infer L> ? BoundFilter<Q, V, L> : never;

/**
 * Declares which properties of a filter are bound. `values` are texts, numbers, and short arrays of these, each element
 * bound separately; `lists` are arrays of numbers of any length. Null is the same as absent.
 *
 * Forgetting a property here is correct but wasteful: each of its values becomes a separate shape.
 */
export function boundProperties<Q extends object>() {
  return <const V extends keyof Q = never, const L extends keyof Q = never>(bound: {
    readonly values?: readonly V[];
    readonly lists?: readonly L[];
  }): BoundProperties<Q, V, L> => ({ values: new Set(bound.values), lists: new Set(bound.lists) });
}

type Loose = Readonly<Record<string, unknown>>;
type AnyForm = { readonly values: ReadonlySet<unknown>; readonly lists: ReadonlySet<unknown> };

/** Two filters have the same key exactly if one prepared statement serves both. */
export function filterShapeKey({ values, lists }: AnyForm, filter: object): string {
  let key = '';
  for (const name in filter) {
    const value = (filter as Loose)[name];
    if (value === undefined || value === null) continue;
    if (value === false) key += `${name}-;`;
    else if (value === true) key += `${name};`;
    else if (values.has(name)) key += Array.isArray(value) ? `${name}[${outline(value)}];` : `${name};`;
    else if (lists.has(name)) key += `${name};`;
    else key += `${name}${lengthened(value)};`;
  }
  return key;
}

/** Prefixes the text with its length, so that a text cannot be confused with another one and what follows it. */
export function shapeOfText(text: string): string {
  return `="${text.length}:${text}`;
}

function lengthened(value: unknown): string {
  if (typeof value === 'string') return shapeOfText(value);
  const text = JSON.stringify(value);
  return `=${text.length}:${text}`;
}

function outline(list: readonly unknown[]): string {
  return list.map((item) => (Array.isArray(item) ? `[${outline(item)}]` : '')).join();
}

/** The filter with placeholders for everything that is bound; `find` reads it from the inputs of an execution. */
export function bindFilter<Inputs>(
  { values, lists }: AnyForm,
  filter: object,
  engine: Engine,
  find: (inputs: Inputs) => object,
): Loose {
  const bound: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(filter)) {
    const read = (inputs: Inputs) => (find(inputs) as Loose)[name];
    if (value === undefined || value === null) bound[name] = undefined;
    else if (values.has(name)) bound[name] = bindEach(value, read);
    else if (lists.has(name)) bound[name] = new BoundList(engine, (inputs: Inputs) => read(inputs) as number[]);
    else bound[name] = value;
  }
  return bound;
}

function bindEach<Inputs>(value: unknown, read: (inputs: Inputs) => unknown): unknown {
  if (!Array.isArray(value)) return new Bound(read);
  return value.map((item, index) => bindEach<Inputs>(item, (inputs) => (read(inputs) as readonly unknown[])[index]));
}
