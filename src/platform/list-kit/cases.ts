import type { Param } from '../http/params.ts';
import type { Filter } from './filter.ts';
import type { FilterValues } from './filter-set.ts';
import type { Direction } from './order.ts';

/** A sample request to a list: one filter, its negation, or no filter, in one order. */
export interface ListCase<F, O> {
  readonly title: string;
  readonly filters: FilterValues<F>;
  readonly order: { readonly by: keyof O & string; readonly direction: Direction };
}

interface LooseCase {
  readonly title: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly order: { readonly by: string; readonly direction: Direction };
}

const directions: readonly Direction[] = ['asc', 'desc'];

/** Generates requests for every value of every filter, and its `not[…]`, in every order and both directions. */
export function listCases(filters: Readonly<Record<string, Filter>>, orders: object): LooseCase[] {
  const requests: { title: string; filters: Record<string, unknown> }[] = [{ title: 'no filter', filters: {} }];
  for (const [name, filter] of Object.entries(filters)) {
    for (const example of examplesOf(filter.param)) {
      const title = `${name}=${JSON.stringify(example)}`;
      requests.push({ title, filters: { [name]: example } });
      if (filter.negatable) requests.push({ title: `not ${title}`, filters: { not: { [name]: example } } });
    }
  }
  return requests.flatMap(({ title, filters: sent }) =>
    Object.keys(orders).flatMap((by) =>
      directions.map((direction) => ({
        title: `${title} by ${by} ${direction}`,
        filters: sent,
        order: { by, direction },
      })),
    ),
  );
}

const sampleTexts = ['true', '2026-01-31', '7', 'sample'];

/** Sample values that a parameter accepts: each value of an enum, otherwise one value of its type. */
function examplesOf(declared: Param<unknown>): unknown[] {
  const { schema } = declared;
  if (Array.isArray(schema.anyOf)) {
    const words = (schema.anyOf as { enum?: unknown[] }[]).flatMap((variant) => variant.enum ?? []);
    return [...words, ...parsedSamples(declared).slice(0, 1)];
  }
  if (Array.isArray(schema.enum)) return schema.enum;
  const { enum: words } = (schema.items ?? {}) as { enum?: unknown[] };
  if (words) return words.map((word) => [word]);
  if (schema.type === 'boolean') return [true, false];
  return parsedSamples(declared).slice(0, 1);
}

function parsedSamples(declared: Param<unknown>): unknown[] {
  return sampleTexts.flatMap((text) => {
    for (const raw of [text, [text]]) {
      const problems: string[] = [];
      const value = declared.read(raw, 'example', problems);
      if (problems.length === 0 && value !== undefined) return [value];
    }
    return [];
  });
}
