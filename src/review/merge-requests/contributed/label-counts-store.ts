import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { maxCountedRows } from '../../../platform/database/paging.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { type RequestScope, readableRequests } from '../lists/list-scope.ts';

interface Labelled extends RequestScope {
  readonly labels: readonly number[];
}

const labelledForm = boundProperties<Labelled>()({
  values: ['project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
  lists: ['labels'],
});

const counts = shapedQuery(labelledForm, (db, ask: BoundFilterOf<typeof labelledForm>) => {
  const rest: RawBuilder<unknown> =
    ask.within === 'project'
      ? sql`c.project_id = ${ask.project}`
      : sql`exists (select 1 from merge_requests where merge_requests.id = c.merge_request_id and ${readableRequests(ask)})`;
  return rawQuery<{ label_id: number; count: number }>(
    db,
    sql`select l.id as label_id, (select count(*) from (select 1 from merge_request_labels c
        where c.label_id = l.id and c.request_state = 'opened' and ${rest}
        limit ${sql.lit(maxCountedRows)}) counted) as count
      from labels l where l.id in ${ask.labels}`,
  );
});

/** Number of open merge requests per label that the caller may read, capped as list totals are. */
export async function countLabelled(
  db: Reader,
  scope: RequestScope,
  labels: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = labels.length === 0 ? [] : await counts.all(db, { ...scope, labels });
  return new Map(rows.map(({ label_id, count }) => [label_id, Number(count)]));
}
