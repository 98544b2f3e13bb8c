import { Bound, BoundList } from './bound.ts';
import type { Engine } from './engine.ts';

type Present<T> = Exclude<T, undefined | null>;
type Absent<T> = undefined extends T ? undefined : null extends T ? undefined : never;
type Wrapped<T> = [T] extends [readonly (infer E)[]] ? readonly Wrapped<E>[] : Bound<T>;

/** What a query is built from: values and lists stand for what each execution gives, everything else is as it was sent. */
export type BoundFilter<Q, V extends keyof Q, L extends keyof Q> = {
  readonly [K in keyof Q]: K extends V
    ? Wrapped<Present<Q[K]>> | Absent<Q[K]>
    : K extends L
      ? BoundList | Absent<Q[K]>
      : Q[K];
};

/** Which properties of a filter are values, given at each execution; the others make the shape of its query. */
export interface Form<Q extends object, V extends keyof Q, L extends keyof Q> {
  readonly values: ReadonlySet<V>;
  readonly lists: ReadonlySet<L>;
}

/** What queries of a form are built from. */
export type BoundFilterOf<F> = F extends Form<infer Q, infer V, infer L> ? BoundFilter<Q, V, L> : never;

/**
 * Says what of a filter is bound. `values` are texts, numbers, and arrays of a few of them, each bound by itself;
 * `lists` are arrays of numbers of any length. Null is as good as absent.
 *
 * A property that is forgotten here is none the less right: it only makes one more shape for each of its values.
 */
export function form<Q extends object>() {
  return <const V extends keyof Q = never, const L extends keyof Q = never>(bound: {
    readonly values?: readonly V[];
    readonly lists?: readonly L[];
  }): Form<Q, V, L> => ({ values: new Set(bound.values), lists: new Set(bound.lists) });
}

type Loose = Readonly<Record<string, unknown>>;
type AnyForm = { readonly values: ReadonlySet<unknown>; readonly lists: ReadonlySet<unknown> };

/** Two filters have the same key when one text serves both, and never otherwise. */
export function shapeOf({ values, lists }: AnyForm, filter: object): string {
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

/** With its length in front, no text can pass for another and what follows it. */
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

/** The filter with everything that is bound replaced by what stands for it; `find` says where an execution keeps it. */
export function bindFilter<Given>(
  { values, lists }: AnyForm,
  filter: object,
  engine: Engine,
  find: (given: Given) => object,
): Loose {
  const asked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(filter)) {
    const read = (given: Given) => (find(given) as Loose)[name];
    if (value === undefined || value === null) asked[name] = undefined;
    else if (values.has(name)) asked[name] = bindEach(value, read);
    else if (lists.has(name)) asked[name] = new BoundList(engine, (given: Given) => read(given) as number[]);
    else asked[name] = value;
  }
  return asked;
}

function bindEach<Given>(value: unknown, read: (given: Given) => unknown): unknown {
  if (!Array.isArray(value)) return new Bound(read);
  return value.map((item, index) => bindEach<Given>(item, (given) => (read(given) as readonly unknown[])[index]));
}
