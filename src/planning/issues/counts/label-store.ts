import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { maxCountedRows } from '../../../platform/database/paging.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { type IssueScope, ownConfidentialIssues, readableIssues } from '../lists/list-scope.ts';

interface Labelled extends IssueScope {
  readonly labels: readonly number[];
}

const labelledForm = boundProperties<Labelled>()({
  values: ['project', 'group', 'user', 'now', 'today'],
  lists: ['labels'],
});

interface Counted {
  readonly label_id: number;
  readonly opened: number;
  readonly closed: number;
}

/** Counts are capped per label, as list totals are: some labels have half a million issues. */
const most = sql.lit(maxCountedRows);

const counts = shapedQuery(labelledForm, (db, ask: BoundFilterOf<typeof labelledForm>, engine) => {
  const of = (state: string, rest: RawBuilder<unknown>): RawBuilder<number> =>
    sql`(select count(*) from (select 1 from issue_labels c where c.label_id = l.id and c.state = ${sql.lit(state)}
      and ${rest} limit ${most}) counted)`;
  const inProject = sql`c.project_id = ${ask.project}`;
  const count = (state: string): RawBuilder<number> => {
    if (ask.within !== 'project') {
      const readable = readableIssues(ask, engine);
      return of(state, sql`exists (select 1 from issues where issues.id = c.issue_id and ${readable})`);
    }
    if (ask.confidential) return of(state, sql`${inProject} and c.confidential in (0, 1)`);
    const plain = of(state, sql`${inProject} and c.confidential = 0`);
    if (ask.user === undefined) return plain;
    const own = ownConfidentialIssues(sql.ref('c.issue_id'), ask);
    return sql`${plain} + ${of(state, sql`${inProject} and c.confidential = 1 and ${own}`)}`;
  };
  return rawQuery<Counted>(
    db,
    sql`select l.id as label_id, ${count('opened')} as opened, ${count('closed')} as closed
      from labels l where l.id in ${ask.labels}`,
  );
});

/** Counts the issues with each of these labels that the caller may read. */
export function countLabelled(db: Reader, scope: IssueScope, labels: readonly number[]): Promise<Counted[]> {
  return labels.length === 0 ? Promise.resolve([]) : counts.all(db, { ...scope, labels });
}
