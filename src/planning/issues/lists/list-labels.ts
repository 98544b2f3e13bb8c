import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { form } from '../../../platform/database/form.ts';
import { countedRows } from '../../../platform/database/paging.ts';
import { fewRows } from '../../../platform/database/search-index.ts';
import { shaped, written } from '../../../platform/database/shaped.ts';
import type { IssueListParams } from '../schema.ts';
import type { IssueScope } from './list-scope.ts';

interface Titles {
  readonly titles: readonly string[];
  readonly project: number;
  /** Whether it matters how many issues carry them, beside whether any does. */
  readonly many: boolean;
}

const askedTitles = form<Titles>()({ values: ['titles', 'project'] });

interface Carried {
  readonly title: string;
  readonly issues: number;
}

/**
 * How many issues of the project carry each label of these titles, up to a limit: SQLite goes through them as they are
 * told to stand, PostgreSQL joins large ones as it sees fit and is told of small ones alone.
 */
const carriedInProject = shaped(askedTitles, (db, { titles, project, many }, engine) => {
  const most = sql.lit(many ? (engine === 'sqlite' ? countedRows : fewRows) : 1);
  const of = (owner: RawBuilder<unknown>) => sql`select l.title, (select count(*) from (
      select 1 from issue_labels il where il.label_id = l.id and il.project_id = ${project} limit ${most}) as carrying) as issues
    from labels l where l.title in (${sql.join(titles)}) and ${owner}`;
  const own = of(sql`l.project_id = ${project}`);
  return written<Carried>(db, sql`${own} union all ${of(sql`l.namespace_id is not null`)}`);
});

/** A title of a group's label that is another label's too: an issue can carry both. */
const sharedTitle = shaped(form<{ titles: readonly string[] }>()({ values: ['titles'] }), (db, { titles }) => {
  const others: Expression<unknown> = sql`select 1 from labels o where o.title = l.title and o.id <> l.id`;
  return written<{ title: string }>(
    db,
    sql`select l.title from labels l where l.title in (${sql.join(titles)}) and l.namespace_id is not null
      and exists (${others}) limit 1`,
  );
});

/** Whoever asks for more has them looked up as they come. */
const mostTitles = 20;

const titlesIn = (labels: IssueListParams['labels']) => (Array.isArray(labels) ? labels : []);

/**
 * Puts the rarest of the labels first, from whose issues a list starts, and finds out whether one of the titles can mean
 * two labels of an issue. A project has no two labels of one title, but its groups may have another.
 */
export async function knowLabels<P extends Pick<IssueListParams, 'labels' | 'not'>>(
  db: Reader,
  { within, project }: IssueScope,
  params: P,
): Promise<{ params: P; titlesTell: boolean }> {
  const wanted = titlesIn(params.labels);
  const titles = [...new Set([...wanted, ...titlesIn(params.not?.labels)])];
  if (titles.length === 0 || titles.length > mostTitles) return { params, titlesTell: false };
  if (within !== 'project' || project === undefined) {
    return { params, titlesTell: (await sharedTitle.first(db, { titles })) === undefined };
  }
  const found = await carriedInProject.all(db, { titles, project, many: wanted.length > 1 });
  const carried = found.filter(({ issues }) => Number(issues) > 0);
  const issuesOf = (title: string) =>
    carried.reduce((sum, label) => sum + (label.title === title ? Number(label.issues) : 0), 0);
  const rarestFirst = [...wanted].sort((a, b) => issuesOf(a) - issuesOf(b));
  return {
    params: wanted.length > 1 ? { ...params, labels: rarestFirst } : params,
    titlesTell: new Set(carried.map(({ title }) => title)).size === carried.length,
  };
}
