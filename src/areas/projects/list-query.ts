import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import type { Project } from '../../access/tables.ts';
import { memberProjectIds, memberProjects } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { countedRows, type Slice } from '../../platform/database/paging.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Condition } from './list-filter.ts';
import type { ProjectOrder } from './list-params.ts';

/** Which projects a list is about. */
export interface Scope {
  /** Visibilities that the caller sees without a role. */
  readonly open: readonly number[];
  /** Visibilities that take a role, and which. */
  readonly guarded: readonly number[];
  readonly role?: { readonly user: number; readonly least?: number | undefined } | undefined;
  /** Only these projects: of a group, of a user, forks of one. */
  readonly within?: Condition | undefined;
  readonly conditions: readonly Condition[];
}

export interface Ordering {
  readonly by: ProjectOrder;
  readonly direction: 'asc' | 'desc';
  /** What `similarity` compares with. */
  readonly search?: string | undefined;
}

/** Up to this many projects of one's own are sorted; with more of them, walking an index meets one soon enough. */
const sortedAtMost = 2000;

const builder = expressionBuilder<Tables, 'projects'>();
type Where = Expression<SqlBool>;

const visibleAs = (levels: readonly number[]): Where =>
  sql<SqlBool>`projects.visibility in (${sql.join(levels.map((level) => sql.lit(level)))})`;

/**
 * The sets of rows that make up the list, each of which one index yields in order. "Public, or mine" as one condition
 * makes either engine read the table; so every visibility is walked by itself and the heads are merged.
 */
async function branchesOf(db: Reader, scope: Scope): Promise<Where[][]> {
  const common = scope.conditions.map((condition) => condition(builder));
  if (scope.within) return [[scope.within(builder), anyVisibility(scope), ...common]];
  const branches = scope.open.map((level) => [visibleAs([level]), ...common]);
  const { role, guarded } = scope;
  if (!role || guarded.length === 0) return branches;
  const own = await fewProjectsOf(db, role.user, role.least);
  if (own) return [...branches, [isOneOf(own), visibleAs(guarded), ...common]];
  const mine = memberProjects(builder, role.user, role.least);
  return [...branches, ...guarded.map((level) => [visibleAs([level]), mine, ...common])];
}

function anyVisibility({ open, guarded, role }: Scope): Where {
  const ways: Where[] = [];
  if (open.length > 0) ways.push(visibleAs(open));
  if (role && guarded.length > 0) {
    ways.push(builder.and([visibleAs(guarded), memberProjects(builder, role.user, role.least)]));
  }
  return ways.length === 0 ? sql<SqlBool>`1 = 0` : builder.or(ways);
}

/** The numbers of someone's projects, unless there are many. */
async function fewProjectsOf(db: Reader, user: number, least: number = Role.guest): Promise<number[] | undefined> {
  const found = await sql<{ id: number }>`
    select project_id as id from (${memberProjectIds(user, least)}) as mine limit ${sortedAtMost + 1}`.execute(db);
  return found.rows.length > sortedAtMost ? undefined : found.rows.map((row) => row.id);
}

function isOneOf(ids: readonly number[]): Where {
  // Numbers of our own, so they need no parameter each: engines limit how many there may be.
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`projects.id in (${sql.raw(ids.join(','))})`;
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
  branches: Where[][],
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
    select projects.* from (${merged}) as page join projects on projects.id = page.id
    order by page.rank ${direction}, page.id ${direction}`.execute(db);
  return found.rows;
}

async function countOf(db: Reader, branches: Where[][]): Promise<number> {
  const parts = branches.map((where) => sql`select 1 as one from projects where ${sql.join(where, sql` and `)}`);
  const found = await sql<{ total: number }>`
    select count(*) as total from (${sql.join(parts, sql` union all `)} limit ${countedRows + 1}) as some`.execute(db);
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
  const branches = await branchesOf(db, scope);
  const rows = await pageOf(db, branches, ordering, slice);
  const { offset, perPage } = slice;
  const complete = rows.length < perPage && (rows.length > 0 || offset === 0);
  if (complete || !counted) return { rows, total: offset + rows.length };
  return { rows, total: await countOf(db, branches) };
}
