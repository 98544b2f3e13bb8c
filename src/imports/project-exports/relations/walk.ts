import type { Services } from '../../../access/services.ts';

/** One line of a relation's file. */
export type Line = Readonly<Record<string, unknown>>;

/** A collection of a project, as the file has it. */
export interface Relation {
  readonly name: string;
  lines(services: Services, projectId: number): AsyncGenerator<Line, void>;
}

/** Some rows of a project or group, after a number. */
export interface Part {
  readonly of: number;
  readonly after: number;
  readonly limit: number;
}

const atOnce = 50;

/** Everything of a kind, a part at a time. */
export async function* all<T>(
  read: (part: Part) => Promise<T[]>,
  of: number,
  place: (row: T) => number,
): AsyncGenerator<T[], void> {
  for (let after = 0; ; ) {
    const part = await read({ of, after, limit: atOnce });
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    after = place(last);
  }
}

/** What belongs to each of some, found at once. */
export function grouped<T>(list: readonly T[], key: (row: T) => number | null): (id: number) => T[] {
  const groups = Map.groupBy(list, key);
  return (id) => groups.get(id) ?? [];
}

export const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
