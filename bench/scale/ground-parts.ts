import { sql } from 'kysely';
import type { Database, Writer } from '../../src/platform/database/database.ts';

/** How much there is of what everything else stands on. */
export interface GroundSize {
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  readonly memberships: number;
}

/** Who asks besides the administrator. */
export const callers = { member: 'glpat-bench-member-token', outsider: 'glpat-bench-outsider-token' };

/** Numbers far above those that the first start gives out. */
export const first = { user: 1000, ownSpace: 1_000_000, group: 5_000_000, project: 10_000_000 };
export const ids = {
  member: first.user + 1,
  outsider: first.user + 2,
  /** The first group, and the tenth one inside it. */
  group: first.group + 1,
  deepGroup: first.group + 10,
  project: first.project + 1,
};
/** Projects that the member has a role of their own in. */
export const ownProjects = 3000;
const atOnce = 100_000;

/** Runs a statement for numbers from 1 to a count, so many at once. */
export async function inParts(
  db: Database,
  count: number,
  insert: (trx: Writer, from: number, to: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 1; from <= count; from += atOnce) {
    await db.write((trx) => insert(trx, from, Math.min(from + atOnce - 1, count)));
  }
}

export const numbers = (from: number, to: number) =>
  sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})`;
