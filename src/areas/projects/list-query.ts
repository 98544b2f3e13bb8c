import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import type { Project } from '../../access/tables.ts';
import { memberProjectIds, memberProjects, namespacesOf, projectsDirectly } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { countedRows, type Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Condition, ProjectSet } from './list-filter.ts';
import type { ProjectOrder } from './list-params.ts';

/** Which projects a list is about. */
export interface Scope {
  /** Visibilities that the caller sees without a role. */
  readonly open: readonly number[];
  /** Visibilities that take a role, and which. */
  readonly guarded: readonly number[];
  readonly role?: { readonly user: number; readonly least?: number | undefined } | undefined;
  /** Only these projects: of a group, of a user, forks of one. */
  readonly within?: ProjectSet | undefined;
  readonly conditions: readonly Condition[];
}

export interface Ordering {
  readonly by: ProjectOrder;
  readonly direction: 'asc' | 'desc';
  /** What `similarity` compares with. */
  readonly search?: string | undefined;
}

/** Up to this many projects are looked up and sorted; of a larger set, walking an index meets one soon enough. */
const sortedAtMost = 1000;

const builder = expressionBuilder<Tables, 'projects'>();
type Where = Expression<SqlBool>;

interface Plan {
  /** What the branches refer to by name. */
  readonly sets?: RawBuilder<unknown>;
  readonly branches: readonly (readonly Where[])[];
}

const never = sql<SqlBool>`1 = 0`;
const visibleAs = (levels: readonly number[]): Where =>
  sql<SqlBool>`projects.visibility in (${sql.join(levels.map((level) => sql.lit(level)))})`;

/**
 * The sets of rows that make up the list, each of which one index yields in order. "Public, or mine" as one condition
 * makes either engine read the table; so every visibility is walked by itself and the heads are merged.
 */
async function planOf(db: Reader, scope: Scope): Promise<Plan> {
  const common = scope.conditions.map((condition) => condition(builder));
  const { role, guarded, open, within } = scope;
  if (within) {
    const found = await sql<Found>`select id from (${within.ids}) as found limit ${sortedAtMost + 1}`.execute(db);
    const ids = few(found.rows);
    if (ids) return { branches: [[isOneOf(ids), anyVisibility(scope), ...common]] };
    common.unshift(within.holds(builder));
  }
  const branches = open.map((level) => [visibleAs([level]), ...common]);
  if (!role || guarded.length === 0) return { branches };
  const own = few(await projectsOfUser.all(db, { user: role.user, least: role.least ?? Role.guest, now: Date.now() }));
  if (own) return { branches: [...branches, [isOneOf(own), visibleAs(guarded), ...common]] };
  const mine = sql<SqlBool>`(projects.namespace_id in (select namespace_id from my_namespaces)
    or projects.id in (select project_id from my_projects))`;
  return {
    sets: setsOf(role.user, role.least),
    branches: [...branches, ...guarded.map((level) => [visibleAs([level]), mine, ...common])],
  };
}

/** Where someone with many projects holds a role: found once for all branches of a query. */
function setsOf(user: number, least?: number): RawBuilder<unknown> {
  return sql`with my_namespaces as materialized (${namespacesOf(user, least)}),
    my_projects as materialized (${projectsDirectly(user, least)}) `;
}

function anyVisibility({ open, guarded, role }: Scope): Where {
  const ways: Where[] = [];
  if (open.length > 0) ways.push(visibleAs(open));
  if (role && guarded.length > 0) {
    ways.push(builder.and([visibleAs(guarded), memberProjects(builder, role.user, role.least)]));
  }
  return ways.length === 0 ? never : builder.or(ways);
}

interface Found {
  readonly id: number;
}

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

function isOneOf(ids: readonly number[]): Where {
  // Numbers of our own, so they need no parameter each: engines limit how many there may be.
  return ids.length === 0 ? never : sql<SqlBool>`projects.id in (${sql.raw(ids.join(','))})`;
}

/** The value that a list is ordered by; `id` decides between equals, and alone where there is nothing else. */
function keyOf({ by, search }: Ordering): RawBuilder<unknown> | undefined {
  if (by === 'storage_size') {
    return sql`(projects.repository_size + projects.lfs_objects_size + projects.uploads_size)`;
  }
  if (by === 'similarity') return search === undefined ? undefined : similarity(search);
  // By time of creation is by number; wikis and packages take no space yet.
  if (by === 'id' || by === 'created_at' || by === 'wiki_size' || by === 'packages_size') return undefined;
  return sql.ref(`projects.${by}`);
}

function similarity(search: string): RawBuilder<unknown> {
  const wanted = search.trim().toLowerCase();
  return sql`(case when lower(projects.path) = ${wanted} or lower(projects.name) = ${wanted} then 3
    when substr(lower(projects.path), 1, ${sql.lit(wanted.length)}) = ${wanted} then 2
    when lower(projects.name) like ${`%${wanted.replace(/[\\%_]/g, '\\$&')}%`} escape '\\' then 1 else 0 end)`;
}

/** The rows of one page, in order. */
async function pageOf(
  db: Reader,
  { branches, sets = sql`` }: Plan,
  ordering: Ordering,
  { offset, perPage }: Slice,
): Promise<Project[]> {
  if (branches.length === 0) return [];
  const key = keyOf(ordering);
  const direction = sql.raw(ordering.direction);
  const rank = key ?? sql`projects.id`;
  const heads = branches.map(
    (where) => sql`select * from (
      select projects.id as id, ${rank} as rank from projects where ${sql.join(where, sql` and `)}
      order by ${key ? sql`${key} ${direction}, ` : sql``}projects.id ${direction} limit ${offset + perPage}) as head`,
  );
  const merged = sql`${sql.join(heads, sql` union all `)} order by rank ${direction}, id ${direction}
    limit ${perPage} offset ${offset}`;
  const found = await sql<Project>`
    ${sets}select projects.* from (${merged}) as page join projects on projects.id = page.id
    order by page.rank ${direction}, page.id ${direction}`.execute(db);
  return found.rows;
}

async function countOf(db: Reader, { branches, sets = sql`` }: Plan): Promise<number> {
  const parts = branches.map((where) => sql`select 1 as one from projects where ${sql.join(where, sql` and `)}`);
  const found = await sql<{ total: number }>`
    ${sets}select count(*) as total
    from (${sql.join(parts, sql` union all `)} limit ${countedRows + 1}) as listed`.execute(db);
  return Number(found.rows[0]?.total ?? 0);
}

/** One page of a list and, unless told otherwise, how many projects the whole has. */
export async function fetchProjects(
  db: Reader,
  scope: Scope,
  ordering: Ordering,
  slice: Slice,
  counted = true,
): Promise<{ rows: Project[]; total: number }> {
  const plan = await planOf(db, scope);
  const rows = await pageOf(db, plan, ordering, slice);
  const { offset, perPage } = slice;
  const complete = rows.length < perPage && (rows.length > 0 || offset === 0);
  if (complete || !counted) return { rows, total: offset + rows.length };
  return { rows, total: await countOf(db, plan) };
}
