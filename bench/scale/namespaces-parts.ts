import { sql } from 'kysely';
import type { Database, Writer } from '../../src/platform/database/database.ts';

/** Numbers of users, groups, projects and memberships. */
export interface NamespacesSize {
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  readonly memberships: number;
}

/** Callers besides the administrator. */
export const callers = { member: 'glpat-bench-member-token', outsider: 'glpat-bench-outsider-token' };

/** IDs far above those assigned at the first start. */
export const first = { user: 1000, ownSpace: 1_000_000, group: 5_000_000, project: 10_000_000 };
export const ids = {
  member: first.user + 1,
  outsider: first.user + 2,
  /** The first group, and its descendant at the tenth level. */
  group: first.group + 1,
  deepGroup: first.group + 10,
  project: first.project + 1,
};
/** Number of projects in which the member has a direct role. */
export const ownProjects = 3000;
const atOnce = 100_000;

/** Runs a statement for the numbers from 1 to a count, in batches. */
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
