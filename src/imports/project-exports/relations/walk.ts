import type { Services } from '../../../access/services.ts';

/** A line of a relation file. */
export type Line = Readonly<Record<string, unknown>>;

/** A relation of a project in the archive. */
export interface Relation {
  readonly name: string;
  lines(services: Services, projectId: number): AsyncGenerator<Line, void>;
}

/** A batch of rows of a project or group after an ID. */
export interface BatchRange {
  readonly of: number;
  readonly after: number;
  readonly limit: number;
}

const batchSize = 50;

/** Iterates over all rows in batches. */
export async function* iterateRows<T>(
  read: (part: BatchRange) => Promise<T[]>,
  of: number,
  place: (row: T) => number,
): AsyncGenerator<T[], void> {
  for (let after = 0; ; ) {
    const part = await read({ of, after, limit: batchSize });
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    after = place(last);
  }
}

/** Groups rows that belong to several parents, queried at once. */
export function groupByParent<T>(list: readonly T[], key: (row: T) => number | null): (id: number) => T[] {
  const groups = Map.groupBy(list, key);
  return (id) => groups.get(id) ?? [];
}

export const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
