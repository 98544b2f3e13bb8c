import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { form } from '../../../platform/database/form.ts';
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
  readonly id: number;
  readonly title: string;
  readonly issues: number;
}

/** How many issues of the project carry each label of these titles, up to a limit. */
const carriedInProject = shaped(askedTitles, (db, { titles, project, many }) => {
  const most = sql.lit(many ? fewRows : 1);
  const of = (owner: RawBuilder<unknown>) => sql`select l.id, l.title, (select count(*) from (
      select 1 from issue_labels il where il.label_id = l.id and il.project_id = ${project} limit ${most}) as carrying) as issues
    from labels l where l.title in (${sql.join(titles)}) and ${owner}`;
  const own = of(sql`l.project_id = ${project}`);
  return written<Carried>(db, sql`${own} union all ${of(sql`l.namespace_id is not null`)}`);
});

interface Pairs {
  readonly pairs: readonly (readonly [number, number])[];
  readonly project: number;
}

/** Which of these pairs the fewest issues of the project have, told up to a limit. */
const rarestPair = shaped(form<Pairs>()({ values: ['pairs', 'project'] }), (db, { pairs, project }) => {
  const counts = pairs.map(
    ([a, b], at) => sql`select ${sql.lit(at)} as place, (select count(*) from (select 1 from derived_label_pairs p
      where p.label_a = ${a} and p.label_b = ${b} and p.project_id = ${project} limit ${sql.lit(fewRows)}) as sharing) as issues`,
  );
  return written<{ place: number }>(db, sql`${sql.join(counts, sql` union all `)} order by 2 limit 1`);
});

/** Puts first the two of which fewest issues have both, as far as each beside the next tells. */
async function rarestFirst(db: Reader, project: number, labels: readonly Carried[]): Promise<Carried[]> {
  if (labels.length < 3) return [...labels];
  const pairs = labels.map(({ id }, at) => {
    const next = (labels[at + 1] ?? labels[0])?.id ?? 0;
    return [Math.min(id, next), Math.max(id, next)] as const;
  });
  const place = Number((await rarestPair.first(db, { pairs, project }))?.place ?? 0);
  return [...labels.slice(place), ...labels.slice(0, place)];
}

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
  const carried = (many: boolean) => carriedInProject.all(db, { titles, project, many });
  const found = (await carried(false)).filter(({ issues }) => Number(issues) > 0);
  const titlesTell = new Set(found.map(({ title }) => title)).size === found.length;
  if (wanted.length < 2) return { params, titlesTell };
  const isWanted = ({ title }: Carried) => wanted.includes(title);
  const ordered = titlesTell
    ? await rarestFirst(db, project, found.filter(isWanted))
    : (await carried(true)).filter(isWanted).sort((a, b) => Number(a.issues) - Number(b.issues));
  const known = new Set(ordered.map(({ title }) => title));
  // What nobody carries leaves nothing, whatever comes after it.
  return { params: { ...params, labels: [...wanted.filter((title) => !known.has(title)), ...known] }, titlesTell };
}
