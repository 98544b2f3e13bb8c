import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Bound } from '../../platform/database/bound.ts';
import type { Engine, Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { maxLookedUpRows } from '../../platform/database/search-index.ts';
import { rawQuery, shapedQuery } from '../../platform/database/shaped.ts';

type Ids = RawBuilder<{ id: number }>;
type Title = Bound<string | number>;
type Condition = RawBuilder<SqlBool>;

/** The tables that record labels of issues or merge requests, and pairs of labels that occur together. */
interface Carrying {
  readonly labels: 'issue_labels' | 'merge_request_labels';
  readonly thing: 'issue_id' | 'merge_request_id';
  readonly pairs: 'derived_label_pairs' | 'derived_request_label_pairs';
  readonly unpaired: 'derived_unpaired_labels' | 'derived_unpaired_request_labels';
}

/** The scope of a list. */
interface Asked<P> {
  readonly within: string;
  readonly project?: P | undefined;
  /** No item has two labels with one of the requested titles, so joins find no item twice. */
  readonly titlesTell?: boolean | undefined;
  /** One of the requested titles stands for all labels of a scope. */
  readonly titleScopes?: boolean | undefined;
}

/** Further conditions on a row of labels, or on a pair of them: ` and …`. */
type InScope = (rows: 'il' | 'p') => RawBuilder<unknown>;

interface LabelParams {
  readonly labels?: string | string[] | undefined;
  readonly not?: { readonly labels?: string | string[] | undefined } | undefined;
}

interface Titles {
  readonly titles: readonly string[];
  readonly project: number;
  /** Whether the number of labelled items matters, rather than only whether there are any. */
  readonly many: boolean;
}

interface Carried {
  readonly id: number;
  readonly title: string;
  readonly things: number;
}

interface Pairs {
  readonly pairs: readonly (readonly [number, number])[];
  readonly project: number;
}

const alsoAll = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  sql.join(
    conditions.map((condition) => sql` and ${condition}`),
    sql``,
  );

const isScope = (title: string | number) => String(title).endsWith('::*');

const firstOf = (title: string | number) => (isScope(title) ? String(title).slice(0, -1) : title);
// U+10FFFF is the last code point, so it sorts after every title of the scope.
const lastOf = (title: string | number) => (isScope(title) ? `${firstOf(title)}\u{10ffff}` : title);

/** A label has this title, or is of the scope that the title stands for: `priority::*` is every label of `priority`. */
export const isOfTitle = (label: RawBuilder<unknown>, title: Title): Condition =>
  sql`${label} between ${title.to(firstOf)} and ${title.to(lastOf)}`;

/**
 * Labels with this title that items in scope can have: those of the project, or of any group, because projects can be
 * transferred.
 */
function labelsTitled(title: Title, { within, project, titleScopes }: Asked<Expression<unknown>>): Ids {
  const isTitle: Condition = titleScopes ? isOfTitle(sql.ref('title'), title) : sql`title = ${title}`;
  if (within !== 'project') return sql`select id from labels where ${isTitle}`;
  return sql`select id from labels where project_id = ${project} and ${isTitle}
    union all select id from labels where ${isTitle} and namespace_id is not null`;
}

/** A group label's title that another label has too: an item can have both. */
const sharedTitle = shapedQuery(
  boundProperties<{ titles: readonly string[] }>()({ values: ['titles'] }),
  (db, { titles }) => {
    const others: Expression<unknown> = sql`select 1 from labels o where o.title = l.title and o.id <> l.id`;
    return rawQuery<{ title: string }>(
      db,
      sql`select l.title from labels l where l.title in (${sql.join(titles)}) and l.namespace_id is not null
      and exists (${others}) limit 1`,
    );
  },
);

/** With more titles than this, labels are matched by a join instead. */
const maxTitles = 20;

const unambiguous = (titlesTell: boolean) => (titlesTell ? { titlesTell } : {});

const titlesIn = (labels: string | string[] | undefined) => (Array.isArray(labels) ? labels : []);

/** Builds the label filters for lists of issues or merge requests. */
export function labelFilters({ labels, thing, pairs, unpaired }: Carrying) {
  const [labelRows, pairRows] = [sql.table(labels), sql.table(pairs)];
  const thingOf = (rows: 'il' | 'p' | 'o' | 'u' | 'crowded') => sql.ref(`${rows}.${thing}`);

  /** ID of the label with this title that items of the project have, assuming there is only one. */
  const labelTitled = (title: Title, ask: Asked<Expression<unknown>>): RawBuilder<number> =>
    sql`(select t.id from (${labelsTitled(title, ask)}) as t
    where exists (select 1 from ${labelRows} c where c.label_id = t.id and c.project_id = ${ask.project}) limit 1)`;

  /** Matches labels by title. If only one such label is used in the project, it is looked up once rather than for each row. */
  function isTitled(label: Expression<unknown>, title: Title, ask: Asked<Expression<unknown>>): Condition {
    if (ask.within === 'project' && ask.titlesTell) return sql`${label} = ${labelTitled(title, ask)}`;
    return sql`${label} in (${labelsTitled(title, ask)})`;
  }

  /** IDs of the items that have all of these labels: starts from the items of the first label and checks the others. */
  function ids([first, ...others]: readonly Title[], ask: Asked<Expression<unknown>>, inScope: InScope): Ids {
    const carried = (title: Title): Condition =>
      sql`exists (select 1 from ${labelRows} o where ${thingOf('o')} = ${thingOf('il')} and ${isTitled(sql.ref('o.label_id'), title, ask)})`;
    const once = ask.titlesTell ? sql`` : sql`distinct `;
    return sql`select ${once}${thingOf('il')} as id from ${labelRows} il where
      ${isTitled(sql.ref('il.label_id'), first as Title, ask)}${inScope('il')}${alsoAll(others.map(carried))}`;
  }

  /**
   * Like `ids`, for a project in which the titles are unambiguous. Uses the recorded pairs of labels, which exclude
   * items with very many labels.
   */
  function pairedIds(titles: readonly Title[], ask: Asked<Expression<unknown>>, engine: Engine, inScope: InScope): Ids {
    const [one, other, ...others] = titles;
    const [a, b] = [labelTitled(one as Title, ask), labelTitled(other as Title, ask)];
    const [least, greatest] = engine === 'sqlite' ? [sql`min`, sql`max`] : [sql`least`, sql`greatest`];
    const carried = (rows: 'p' | 'il', wanted: readonly RawBuilder<number>[]) =>
      alsoAll(
        wanted.map(
          (label): Condition => sql`exists (select 1 from ${labelRows} o
          where ${thingOf('o')} = ${thingOf(rows)} and o.label_id = ${label})`,
        ),
      );
    const rest = others.map((title) => labelTitled(title, ask));
    return sql`select ${thingOf('p')} as id from ${pairRows} p
    where p.label_a = ${least}(${a}, ${b}) and p.label_b = ${greatest}(${a}, ${b})${inScope('p')}${carried('p', rest)}
    union all select ${thingOf('il')} as id from (
        select distinct ${thingOf('u')} from ${sql.table(unpaired)} u where u.label_id in (${a}, ${b})) as crowded
      cross join ${labelRows} il where ${thingOf('il')} = ${thingOf('crowded')} and il.label_id = ${a}${inScope('il')}${carried('il', [b, ...rest])}`;
  }

  /** The number of the project's items that have each label of these titles, up to a limit. */
  const carriedInProject = shapedQuery(
    boundProperties<Titles>()({ values: ['titles', 'project'] }),
    (db, { titles, project, many }) => {
      const most = sql.lit(many ? maxLookedUpRows : 1);
      const of = (owner: RawBuilder<unknown>) => sql`select l.id, l.title, (select count(*) from (
      select 1 from ${labelRows} il where il.label_id = l.id and il.project_id = ${project} limit ${most}) as carrying) as things
    from labels l where l.title in (${sql.join(titles)}) and ${owner}`;
      const own = of(sql`l.project_id = ${project}`);
      return rawQuery<Carried>(db, sql`${own} union all ${of(sql`l.namespace_id is not null`)}`);
    },
  );

  /** The rarest of these pairs in the project, counted up to a limit. */
  const rarestPair = shapedQuery(
    boundProperties<Pairs>()({ values: ['pairs', 'project'] }),
    (db, { pairs: asked, project }) => {
      const counts = asked.map(
        ([a, b], at) => sql`select ${sql.lit(at)} as place, (select count(*) from (select 1 from ${pairRows} p
      where p.label_a = ${a} and p.label_b = ${b} and p.project_id = ${project} limit ${sql.lit(maxLookedUpRows)}) as sharing) as things`,
      );
      return rawQuery<{ place: number }>(db, sql`${sql.join(counts, sql` union all `)} order by 2 limit 1`);
    },
  );

  /** Puts the rarest pair first, judging by each label and its neighbour. */
  async function rarestFirst(db: Reader, project: number, found: readonly Carried[]): Promise<Carried[]> {
    if (found.length < 3) return [...found];
    const neighbours = found.map(({ id }, at) => {
      const next = (found[at + 1] ?? found[0])?.id ?? 0;
      return [Math.min(id, next), Math.max(id, next)] as const;
    });
    const place = Number((await rarestPair.first(db, { pairs: neighbours, project }))?.place ?? 0);
    return [...found.slice(place), ...found.slice(0, place)];
  }

  /**
   * Puts the rarest label first, because the list starts from its items, and determines whether a title can mean two
   * labels of one item. Labels of a project have unique titles, but its groups may have another, and a scope has many.
   */
  async function resolveLabelTitles<P extends LabelParams>(
    db: Reader,
    { within, project }: Asked<number>,
    params: P,
  ): Promise<{ params: P; known: Pick<Asked<number>, 'titlesTell' | 'titleScopes'> }> {
    const wanted = titlesIn(params.labels);
    const titles = [...new Set([...wanted, ...titlesIn(params.not?.labels)])];
    if (titles.some(isScope)) return { params, known: { titleScopes: true } };
    if (titles.length === 0 || titles.length > maxTitles) return { params, known: {} };
    if (within !== 'project' || project === undefined) {
      return { params, known: unambiguous((await sharedTitle.first(db, { titles })) === undefined) };
    }
    const carried = (many: boolean) => carriedInProject.all(db, { titles, project, many });
    const found = (await carried(false)).filter(({ things }) => Number(things) > 0);
    const titlesTell = new Set(found.map(({ title }) => title)).size === found.length;
    if (wanted.length < 2) return { params, known: unambiguous(titlesTell) };
    const isWanted = ({ title }: Carried) => wanted.includes(title);
    const ordered = titlesTell
      ? await rarestFirst(db, project, found.filter(isWanted))
      : (await carried(true)).filter(isWanted).sort((a, b) => Number(a.things) - Number(b.things));
    const carriedTitles = new Set(ordered.map(({ title }) => title));
    // A label that no item has makes the result empty, whatever comes after it.
    const labels = [...wanted.filter((title) => !carriedTitles.has(title)), ...carriedTitles];
    return { params: { ...params, labels }, known: unambiguous(titlesTell) };
  }

  return { isTitled, ids, pairedIds, resolveLabelTitles };
}
