import { type Expression, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { userSearch } from '../../access/search.ts';
import { isArchivedProject } from '../../access/visibility/archived.ts';
import {
  hasProjectRole,
  memberNamespaceIds,
  memberProjectIds,
  type NumberOrParameter,
  type Viewer,
} from '../../access/visibility/visible.ts';
import { basicColumns } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { maxLookedUpRows, SearchIndex } from '../../platform/database/search-index.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { choice } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';

const newestFirst = { by: 'id', direction: 'desc' } as const;

/** Milestones of a project, of a group and its projects, or of all projects that the viewer can see. */
interface MilestoneScope extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly place?: number | undefined;
  readonly archived: boolean;
}

const milestoneScope = boundProperties<MilestoneScope>()({ values: ['place', 'user', 'now'] });

/** Restricts `p` to projects whose milestones the viewer can read: issues or merge requests are accessible. */
function readsMilestones({ sees, user, now }: Viewer<NumberOrParameter>): Expression<SqlBool> {
  const open = sql`(p.issues_access = 20 or (p.merge_requests_access = 20 and p.repository_access = 20))`;
  const some = sql`(p.issues_access > 0 or (p.merge_requests_access > 0 and p.repository_access > 0))`;
  if (sees === 'all') return sql<SqlBool>`${some}`;
  const outside = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and ${open})`;
  if (user === undefined) return sql<SqlBool>`${outside}`;
  return sql<SqlBool>`(${outside} or (${some} and p.id in (${memberProjectIds(user, 10, now)})))`;
}

function inScope(scope: BoundFilterOf<typeof milestoneScope>): Expression<SqlBool> {
  const { within, place, archived } = scope;
  const current = archived ? sql`1 = 1` : sql`not ${isArchivedProject('p')}`;
  const inProject = sql`exists (select 1 from projects p
    where p.id = milestones.project_id and ${current} and ${readsMilestones(scope)})`;
  if (within === 'project') return sql`(milestones.project_id = ${place} and ${inProject})`;
  if (within === 'all') return sql`${inProject}`;
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${place}`;
  return sql`(milestones.namespace_id = ${place} or (milestones.project_id in (
    select b.id from projects b where b.namespace_id in (${below})) and ${inProject}))`;
}

const milestoneList = list({
  id: 'milestones.id',
  scope: milestoneScope,
  filters: {
    search: searchFilters({
      index: new SearchIndex({ table: 'milestones', columns: ['title', 'description'], inPieces: true }),
      columns: { title: 'milestones.title', description: 'milestones.description' },
      byWords: true,
    }).search,
    state: choice({
      active: sql<SqlBool>`milestones.state = 'active'`,
      closed: sql<SqlBool>`milestones.state = 'closed'`,
    }),
  },
  orders: { id: byId },
  select: (db, scope) => db.selectFrom('milestones').select('milestones.id').where(inScope(scope)),
});

/** Returns IDs of milestones that contain a text, newest first. */
export function searchMilestones(
  db: Reader,
  scope: MilestoneScope,
  filters: { readonly search: string; readonly state?: 'active' | 'closed' | undefined },
  slice: Slice,
) {
  return milestoneList.page(db, scope, filters, newestFirst, slice);
}

/** The notes of a project that a user can read. */
interface NoteScope {
  readonly project: number;
  readonly user: number;
  readonly types: readonly string[];
  /** Whether confidential issues and internal notes are included. */
  readonly confidential: boolean;
  readonly internal: boolean;
  /** Minimum visibility of other users' snippets whose notes are included; unset to include all. */
  readonly snippets?: number | undefined;
}

const noteScope = boundProperties<NoteScope>()({ values: ['project', 'user', 'types'] });

function openIssue({ user }: BoundFilterOf<typeof noteScope>) {
  return sql<SqlBool>`(notes.noteable_type <> 'Issue' or exists (select 1 from issues i
    where i.id = notes.noteable_id and (i.confidential = 0 or i.author_id = ${user} or exists (
      select 1 from issue_assignees a where a.issue_id = i.id and a.user_id = ${user}))))`;
}

function openSnippet({ user }: BoundFilterOf<typeof noteScope>, least: number) {
  return sql<SqlBool>`(notes.noteable_type <> 'Snippet' or exists (select 1 from snippets s
    where s.id = notes.noteable_id and (s.visibility >= ${sql.lit(least)} or s.author_id = ${user})))`;
}

const noteList = list({
  id: 'notes.id',
  scope: noteScope,
  filters: {
    search: searchFilters({
      index: new SearchIndex({ table: 'notes', columns: ['body'], inPieces: true }),
      columns: { body: 'notes.body' },
      byWords: true,
    }).search,
  },
  orders: { id: byId },
  select: (db, scope) => {
    let query = db
      .selectFrom('notes')
      .selectAll('notes')
      .where('notes.project_id', '=', scope.project)
      .where('notes.system', '=', 0)
      .where('notes.noteable_type', 'in', scope.types);
    if (!scope.internal) query = query.where('notes.internal', '=', 0);
    if (scope.snippets !== undefined) query = query.where(openSnippet(scope, scope.snippets));
    return scope.confidential ? query : query.where(openIssue(scope));
  },
});

/** Returns the notes of a project that contain a text, newest first. */
export function searchNotes(db: Reader, scope: NoteScope, search: string, slice: Slice) {
  return noteList.page(db, scope, { search }, newestFirst, slice);
}

interface PeopleScope extends Viewer {
  readonly group: number;
  /** The candidates if there are few: a common word is then searched among them instead of all users. */
  readonly few?: readonly number[] | undefined;
}

/** Restricts members to places with this visibility, and those where the viewer is a member. */
function knowsMembers(
  { sees, user }: Viewer<NumberOrParameter>,
  place: 'n' | 'p',
  own: Expression<SqlBool>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = sql<SqlBool>`${sql.ref(`${place}.visibility`)} >= ${sql.lit(Visibility[sees])}`;
  return user === undefined ? open : sql<SqlBool>`(${open} or ${own})`;
}

const peopleScope = boundProperties<PeopleScope>()({ values: ['group', 'user', 'now'], lists: ['few'] });

/** Returns the distinct user IDs. */
function peopleIds(scope: Viewer<NumberOrParameter> & { readonly group: NumberOrParameter }) {
  const { group, user = 0, now } = scope;
  const inForce = sql`(m.expires_at is null or m.expires_at > ${now})`;
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${group}`;
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${group}`;
  return sql<{ id: number }>`
    select m.user_id as id from members m join namespaces n on n.id = m.namespace_id
      where n.id in (${above} union ${below}) and ${inForce}
        and ${knowsMembers(scope, 'n', sql`n.id in (${memberNamespaceIds(user, Role.minimal, now)})`)}
    union
    select m.user_id from members m join projects p on p.id = m.project_id
      where p.namespace_id in (${below}) and ${inForce}
        and ${knowsMembers(scope, 'p', hasProjectRole(user, Role.guest, now, 'p'))}`;
}

// Prepared statement: PostgreSQL takes longer to plan it than to run it. No user has the ID 0.
const firstPeople = (sees: Viewer['sees']) =>
  statement((db, value: Param<{ group: number; user: number; now: number }>) => {
    const people = peopleIds({ sees, group: value('group'), user: value('user'), now: value('now') });
    return db
      .selectFrom(sql<{ id: number }>`(${people})`.as('people'))
      .select('people.id')
      .limit(maxLookedUpRows + 1);
  });
const firstVisibleUsers = {
  all: firstPeople('all'),
  internal: firstPeople('internal'),
  public: firstPeople('public'),
};

const peopleList = list({
  id: 'users.id',
  scope: peopleScope,
  filters: {
    search: searchFilters({
      index: userSearch,
      columns: { name: 'users.name', username: 'users.username' },
      byWords: true,
    }).search,
  },
  orders: { id: byId },
  select: (db, scope, engine) => {
    const people = db.selectFrom('users').select(basicColumns);
    if (!scope.few) {
      return people.where('users.state', '=', 'active').where(sql<SqlBool>`users.id in (${peopleIds(scope)})`);
    }
    // The unary plus keeps SQLite from using the index on the state, which would scan all active users.
    const state = engine === 'sqlite' ? sql.raw('+users.state') : sql.ref('users.state');
    return people.where(sql<SqlBool>`${state} = 'active'`).where(scope.few.has(sql.ref('users.id')));
  },
});

/** Returns members of a group, its ancestors, subgroups and projects, as far as the viewer can see the membership. */
export function searchPeople(db: Reader, scope: PeopleScope, search: string, slice: Slice) {
  const order = { by: 'id', direction: 'asc' } as const;
  const walked = async () => {
    const { sees, group, user = 0, now } = scope;
    const found = (await firstVisibleUsers[sees].all(db, { group, user, now })).map(({ id }) => id);
    const few = found.length <= maxLookedUpRows;
    return { scopes: [few ? { ...scope, few: found } : scope], few };
  };
  return peopleList.page(db, { whole: scope, walked }, { search }, order, slice);
}
