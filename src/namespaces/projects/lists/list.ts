import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Project } from '../../../access/tables.ts';
import { memberProjectIds, memberProjects, namespacesOf, projectsDirectly } from '../../../access/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { countedRows, type Slice, totalShownBy } from '../../../platform/database/paging.ts';
import { isMissing } from '../../../platform/database/search-indexes.ts';
import { shaped, written } from '../../../platform/database/shaped.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { filterConditions } from './condition-list.ts';
import { type ProjectAsk, type ProjectQuestion, projectQuestion } from './filter.ts';
import { searchedIds, setsOf } from './set-list.ts';

/** Up to this many projects are looked up and sorted; of a larger set, walking an index meets one soon enough. */
const sortedAtMost = 1000;

const builder = expressionBuilder<Tables, 'projects'>();
type Where = Expression<SqlBool>;

interface Found {
  readonly id: number;
}

const never = sql<SqlBool>`1 = 0`;
const visibleAs = (levels: readonly number[]): Where =>
  sql<SqlBool>`projects.visibility in (${sql.join(levels.map((level) => sql.lit(level)))})`;

/** The members of one of the sets that bound a list, one more than is few. */
const membersOfSet = shaped(projectQuestion, (db, ask) => {
  const set = setsOf(ask)[ask.set ?? 0];
  return written<Found>(db, sql`select id from (${set?.ids}) as found limit ${sql.lit(sortedAtMost + 1)}`);
});

const projectsOfUser = statement((db, param: Param<{ user: number; least: number; now: number }>) =>
  db
    .selectFrom(sql<Found>`(${memberProjectIds(param('user'), param('least'), param('now'))})`.as('mine'))
    .select('mine.id')
    .limit(sortedAtMost + 1),
);

/** The numbers that were found, unless there were many. */
function few(found: readonly Found[]): number[] | undefined {
  return found.length > sortedAtMost ? undefined : [...new Set(found.map(({ id }) => id))];
}

/** What a search can find, one more than is few. */
const foundBySearch = shaped(projectQuestion, (db, ask, engine) =>
  written<Found>(db, sql`select id from (${searchedIds(ask, engine)}) as found limit ${sql.lit(sortedAtMost + 1)}`),
);

const isBounded = ({ within, starred, topic, topic_id, language }: ProjectQuestion) =>
  within !== undefined || starred || topic !== undefined || topic_id !== undefined || language !== undefined;

/** Does an index know what a search can find? */
const isLookedUp = ({ whole, terms, search_namespaces, alone }: ProjectQuestion) =>
  whole !== undefined || (terms !== undefined && (!search_namespaces || alone === true));

/** Finds out which of the things that bound a list are few: the query then starts from them. */
async function withStart(db: Reader, question: ProjectQuestion): Promise<ProjectQuestion> {
  const found = isBounded(question) ? few(await membersOfSet.all(db, question)) : undefined;
  if (found) return { ...question, few: found, fewest: 'set' };
  const searched = isLookedUp(question) && !isMissing(db) ? few(await foundBySearch.all(db, question)) : undefined;
  if (searched) return { ...question, few: searched, fewest: 'search' };
  const { user, least, now, guarded } = question;
  if (user === undefined || guarded.length === 0) return question;
  return { ...question, own: few(await projectsOfUser.all(db, { user, least, now })) };
}

/**
 * The sets of rows that make up the list, each of which one index yields in order. "Public, or mine" as one condition
 * makes either engine read the table; so every visibility is walked by itself and the heads are merged.
 */
function branchesOf(ask: ProjectAsk): Where[][] {
  const sets = setsOf(ask).slice(ask.fewest === 'set' ? 1 : 0);
  const common = [...sets.map(({ holds }) => holds), ...filterConditions(builder, ask)];
  const { user, guarded, open } = ask;
  if (ask.few) return [[builder('projects.id', 'in', ask.few), anyVisibility(ask), ...common]];
  if (ask.driven) return [[anyVisibility(ask), ...common]];
  const branches = open.map((level) => [visibleAs([level]), ...common]);
  if (!user || guarded.length === 0) return branches;
  if (ask.own) return [...branches, [builder('projects.id', 'in', ask.own), visibleAs(guarded), ...common]];
  const mine = sql<SqlBool>`(projects.namespace_id in (select namespace_id from my_namespaces)
    or projects.id in (select project_id from my_projects))`;
  return [...branches, ...guarded.map((level) => [visibleAs([level]), mine, ...common])];
}

/** Where someone with many projects holds a role: found once for all branches of a query. */
function mySets({ few, driven, own, user, guarded, least, now }: ProjectAsk): RawBuilder<unknown> {
  if (few || driven || own || !user || guarded.length === 0) return sql``;
  return sql`with my_namespaces as materialized (${namespacesOf(user, least, now)}),
    my_projects as materialized (${projectsDirectly(user, least, now)}) `;
}

function anyVisibility({ open, guarded, user, least, now }: ProjectAsk): Where {
  const ways: Where[] = [];
  if (open.length > 0) ways.push(visibleAs(open));
  if (user && guarded.length > 0) {
    ways.push(builder.and([visibleAs(guarded), memberProjects(builder, user, least, now)]));
  }
  return ways.length === 0 ? never : builder.or(ways);
}

/** The value that a list is ordered by; `id` decides between equals, and alone where there is nothing else. */
function keyOf({ by, likeness }: ProjectAsk): RawBuilder<unknown> | undefined {
  if (by === 'storage_size') {
    return sql`(projects.repository_size + projects.lfs_objects_size + projects.uploads_size)`;
  }
  if (by === 'similarity') return likeness && similarity(likeness);
  // By time of creation is by number; wikis and packages take no space yet.
  if (by === 'id' || by === 'created_at' || by === 'wiki_size' || by === 'packages_size') return undefined;
  return sql.ref(`projects.${by}`);
}

function similarity(wanted: NonNullable<ProjectAsk['likeness']>): RawBuilder<unknown> {
  return sql`(case when lower(projects.path) = ${wanted} or lower(projects.name) = ${wanted} then 3
    when substr(lower(projects.path), 1, length(${wanted})) = ${wanted} then 2
    when ${contains(sql.ref('projects.name'), wanted)} then 1 else 0 end)`;
}

/** The rows of one page, in order. */
const page = shaped(projectQuestion, (db, ask) => {
  const key = keyOf(ask);
  const direction = sql.raw(ask.direction);
  const rank = key ?? sql`projects.id`;
  const { offset, perPage, end } = ask;
  const heads = branchesOf(ask).map(
    (where) => sql`select * from (
      select projects.id as id, ${rank} as rank from projects where ${sql.join(where, sql` and `)}
      order by ${key ? sql`${key} ${direction}, ` : sql``}projects.id ${direction}
      limit +${end}) as head`,
  );
  const merged = sql`${sql.join(heads, sql` union all `)} order by rank ${direction}, id ${direction}
    limit +${perPage} offset ${offset}`;
  return written<Project>(
    db,
    sql`${mySets(ask)}select projects.* from (${merged}) as page join projects on projects.id = page.id
      order by page.rank ${direction}, page.id ${direction}`,
  );
});

const count = shaped(projectQuestion, (db, ask, engine) => {
  const ids = ask.driven ? searchedIds(ask, engine) : undefined;
  const from = ids ? sql`(${ids}) as found join projects on projects.id = found.id` : sql`projects`;
  const parts = branchesOf(ask).map((where) => sql`select 1 as one from ${from} where ${sql.join(where, sql` and `)}`);
  return written<{ total: number }>(
    db,
    sql`${mySets(ask)}select count(*) as total
      from (${sql.join(parts, sql` union all `)} limit ${sql.lit(countedRows + 1)}) as listed`,
  );
});

/** Are the many that a search finds read one by one to be counted, rather than all projects there are? */
function isDriven(db: Reader, { few, own, open, terms, search_namespaces }: ProjectQuestion): boolean {
  if (few || terms === undefined || search_namespaces || isMissing(db)) return false;
  return open.length > 0 || own === undefined;
}

/** One page of a list and, unless told otherwise, how many projects the whole has. */
export async function fetchProjects(
  db: Reader,
  asked: ProjectQuestion,
  slice: Slice,
  counted = true,
): Promise<{ rows: Project[]; total: number }> {
  const question = await withStart(db, asked);
  if (!question.few && question.open.length === 0 && question.guarded.length === 0) return { rows: [], total: 0 };
  const { offset, perPage } = slice;
  const rows = await page.all(db, { ...question, offset, perPage, end: offset + perPage });
  const total = totalShownBy(rows, slice);
  if (total !== undefined || !counted) return { rows, total: total ?? offset + rows.length };
  return { rows, total: Number((await count.first(db, { ...question, driven: isDriven(db, question) }))?.total ?? 0) };
}
