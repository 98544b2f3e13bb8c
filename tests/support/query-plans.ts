import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../src/platform/database/database.ts';

/** The query plan of a statement for any values. */
export async function planOf(db: Database, text: string): Promise<string> {
  const unbound = Array.from(text.matchAll(/\?/g), () => null);
  const query =
    db.engine === 'sqlite'
      ? CompiledQuery.raw(`explain query plan ${text}`, unbound)
      : CompiledQuery.raw(`explain (generic_plan) ${text}`);
  const { rows } = await db.read.executeQuery<Record<string, unknown>>(query);
  return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
}

/** The query plan with sorting disabled: with few rows, engines prefer sorting to an index. */
export async function planWithoutSorting(db: Database, text: string): Promise<string> {
  if (db.engine === 'sqlite') return planOf(db, text);
  return db.write(async (trx) => {
    await sql`set local enable_sort = off`.execute(trx);
    await sql`set local enable_seqscan = off`.execute(trx);
    const explained = CompiledQuery.raw(`explain (generic_plan) ${text}`);
    const { rows } = await trx.executeQuery<Record<string, unknown>>(explained);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** The steps of a plan that read a table completely, including full index scans. */
export function wholeReads({ engine }: Pick<Database, 'engine'>, plan: string, tables: string): string[] {
  if (engine === 'sqlite') return plan.match(new RegExp(`^.*SCAN (${tables})\\b(?! USING).*$`, 'gm')) ?? [];
  // Each step is followed by its conditions.
  const steps = plan.split(/\n(?=\s*(?:->|SubPlan|InitPlan))/);
  const reads = new RegExp(` Scan.* on (${tables})( |$)`, 'm');
  return steps.filter((step) => reads.test(step) && !/(Index|Recheck) Cond/.test(step));
}

/** The part of a list definition needed for its plans. */
interface PlannedList<Q> {
  cases(): readonly { title: string; filters: object; order: { by: string; direction: 'asc' | 'desc' } }[];
  page(db: Database['read'], scope: Q, filters: never, order: never, slice: object): Promise<unknown>;
}

/** The complete table reads of a list in all of its cases, except for those in `except`. */
export async function wholeReadsOf<Q>(
  db: Database,
  list: PlannedList<Q>,
  scope: Q,
  tables: string,
  except: readonly string[] = [],
): Promise<string[]> {
  const found = new Set<string>();
  for (const { title, filters, order } of list.cases()) {
    if (except.some((name) => title.startsWith(name))) continue;
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    await list.page(db.read, scope, filters as never, order as never, { offset: 0, perPage: 20 });
    stop();
    for (const text of seen) {
      for (const read of wholeReads(db, await planOf(db, text), tables)) found.add(`${title}: ${read}\n${text}`);
    }
  }
  return [...found];
}
