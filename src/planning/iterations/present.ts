import type { Services } from '../../access/services.ts';
import { instant } from '../../platform/http/schema.ts';
import { stateOn } from './periods.ts';
import type { IterationEntity } from './schema.ts';
import { groupPaths } from './store.ts';
import type { IterationRow } from './tables.ts';

export const today = () => instant(Date.now()).slice(0, 10);

/** Presents a page of iterations; their state depends on the current date. */
export async function presentIterations(
  { db, externalUrl }: Services,
  rows: readonly IterationRow[],
): Promise<IterationEntity[]> {
  const paths = await groupPaths(
    db.read,
    rows.map(({ namespace_id }) => namespace_id),
  );
  const now = today();
  return rows.map((row) => ({
    id: row.id,
    iid: row.iid,
    sequence: row.sequence,
    group_id: row.namespace_id,
    title: row.title,
    description: row.description,
    state: stateOn(row, now),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    start_date: row.start_date,
    due_date: row.due_date,
    web_url: `${externalUrl}/groups/${paths.get(row.namespace_id)}/-/iterations/${row.id}`,
  }));
}
