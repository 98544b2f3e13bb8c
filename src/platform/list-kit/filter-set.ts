import type { Engine } from '../database/engine.ts';
import { HttpError } from '../http/errors.ts';
import { type Param, type ParamMap, type ParamsOf, param } from '../http/params.ts';
import {
  type BoundMeaning,
  boundMeaning,
  type Filter,
  type FilterInput,
  type Meaning,
  shapeOfMeaning,
} from './filter.ts';

/** Each value becomes a separate condition in the SQL, and neither engine accepts an unlimited number of them. */
const maxValues = 200;

type AnyFilters = Readonly<Record<string, Filter>>;
type Negatable<F> = { [K in keyof F]: F[K] extends { readonly negatable: true } ? K : never }[keyof F];
type ParamIn<X> = X extends { readonly param: infer P extends Param<unknown> } ? P : never;
type NotParams<F> = { readonly [K in Negatable<F>]: ParamIn<F[K]> };

/** The request parameters of a set of filters. */
export type FilterParams<F> = { readonly [K in keyof F]: ParamIn<F[K]> } & ([Negatable<F>] extends [never]
  ? unknown
  : { readonly not: Param<ParamsOf<NotParams<F>>, 'optional'> });

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Values of the filters: any subset of their parsed parameters. */
export type FilterValues<F> = Optional<ParamsOf<{ readonly [K in keyof F]: ParamIn<F[K]> }>> &
  ([Negatable<F>] extends [never] ? unknown : { readonly not?: Optional<ParamsOf<NotParams<F>>> | undefined });

/** Rejects properties of `S` that `T` does not have. */
export type Exactly<S, T> = S & Readonly<Record<Exclude<keyof S, keyof T>, never>>;

/** The filters of a request: those that rows must match, and those (`not[…]`) that they must not. */
export interface SentFilters {
  readonly is: Readonly<Record<string, Meaning>>;
  readonly not: Readonly<Record<string, Meaning>>;
}

export function filterParams(filters: AnyFilters): ParamMap {
  const params = Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, filter.param]));
  const negated = Object.entries(filters).filter(([, filter]) => filter.negatable);
  if (negated.length === 0) return params;
  const fields = Object.fromEntries(negated.map(([name, filter]) => [name, withoutDefault(filter.param)]));
  return { ...params, not: param.hash(fields) };
}

/** Parameters inside `not[…]` have no defaults: an absent one does not filter. */
function withoutDefault({ fallback: _, ...declared }: Param<unknown>): Param<unknown> {
  return { ...declared, presence: 'optional' };
}

/** Interprets the parameters of a request. A name without a filter is a programming error and throws. */
export function readFilters(filters: AnyFilters, values: object): SentFilters {
  const { not, ...is } = values as FilterInput;
  return {
    is: meanings(filters, is),
    not: not ? meanings(filters, not as FilterInput, true) : {},
  };
}

function meanings(filters: AnyFilters, sent: FilterInput, negated = false): Record<string, Meaning> {
  const found: Record<string, Meaning> = {};
  for (const name in sent) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!filter || (negated && !filter.negatable)) {
      throw new Error(`the list has no filter "${negated ? `not[${name}]` : name}"`);
    }
    const meaning = filter.read(value as never, sent);
    const { length = 0 } = meaning?.values ?? [];
    if (length > maxValues) {
      throw new HttpError(400, { error: `${negated ? `not[${name}]` : name} allows ${maxValues} values` });
    }
    if (meaning) found[name] = meaning;
  }
  return found;
}

export function shapeOfFilters({ is, not }: SentFilters): string {
  let shape = '';
  for (const name in is) shape += `${name}${shapeOfMeaning(is[name] as Meaning)};`;
  for (const name in not) shape += `!${name}${shapeOfMeaning(not[name] as Meaning)};`;
  return shape;
}

/** The filters with placeholders for their values; `find` reads the filters from the inputs of an execution. */
export function boundFilters<Inputs>(
  { is, not }: SentFilters,
  engine: Engine,
  find: (inputs: Inputs) => SentFilters,
): { is: Record<string, BoundMeaning>; not: Record<string, BoundMeaning> } {
  const bound = (set: 'is' | 'not', meanings: Readonly<Record<string, Meaning>>) =>
    Object.fromEntries(
      Object.entries(meanings).map(([name, meaning]) => [
        name,
        boundMeaning<Inputs>(meaning, engine, (inputs) => find(inputs)[set][name]),
      ]),
    );
  return { is: bound('is', is), not: bound('not', not) };
}
