import { type Expression, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../access/roles.ts';
import { userSearch } from '../../access/search.ts';
import { memberProjectIds, type Value, type Viewer } from '../../access/visibility/visible.ts';
import { basicColumns } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import {
  type Searching,
  searchFor,
  searchIndex,
  searchLists,
  searchValues,
} from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';

const milestoneSearch = searchIndex({ table: 'milestones', columns: ['title', 'description'] });
const noteSearch = searchIndex({ table: 'notes', columns: ['body'] });

/** Whose milestones: those of a project, of a group and the projects in it, or of all projects, as somebody sees them. */
export interface MilestoneWanted extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly place?: number | undefined;
  readonly state?: 'active' | 'closed' | undefined;
  readonly archived: boolean;
  readonly search: string;
}

const milestones = form<MilestoneWanted & Searching>()({
  values: ['place', 'user', 'now', 'search', 'state', ...searchValues],
  lists: [...searchLists],
});

/** `p` is a project whose milestones the viewer may read: issues or merge requests are open to them. */
function readsMilestones({ sees, user, now }: Viewer<Value>): Expression<SqlBool> {
  const open = sql`(p.issues_access = 20 or (p.merge_requests_access = 20 and p.repository_access = 20))`;
  const some = sql`(p.issues_access > 0 or (p.merge_requests_access > 0 and p.repository_access > 0))`;
  if (sees === 'all') return sql<SqlBool>`${some}`;
  const outside = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and ${open})`;
  if (user === undefined) return sql<SqlBool>`${outside}`;
  return sql<SqlBool>`(${outside} or (${some} and p.id in (${memberProjectIds(user, 10, now)})))`;
}

const milestoneList = shapedList(milestones, (db, ask, engine) => {
  const { within, place, search, state, archived } = ask;
  let query = milestoneSearch
    .narrow(db.selectFrom('milestones'), 'milestones.id', ask, engine)
    .select('milestones.id')
    .where((eb) =>
      eb.or([contains(eb.ref('milestones.title'), search), contains(eb.ref('milestones.description'), search)]),
    )
    .orderBy('milestones.id', 'desc');
  if (state) query = query.where('milestones.state', '=', state);
  const current = archived ? sql`1 = 1` : sql`p.archived = 0`;
  const readable = readsMilestones(ask as unknown as Viewer<Value>);
  const inProject = sql<SqlBool>`exists (select 1 from projects p
    where p.id = milestones.project_id and ${current} and ${readable})`;
  if (within === 'project') return query.where(sql<SqlBool>`milestones.project_id = ${place}`).where(inProject);
  if (within === 'all') return query.where(inProject);
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${place}`;
  return query.where(
    sql<SqlBool>`(milestones.namespace_id = ${place} or (milestones.project_id in (
      select b.id from projects b where b.namespace_id in (${below})) and ${inProject}))`,
  );
});

/** The numbers of milestones that hold a text, newest first. */
export function searchMilestones(db: Reader, wanted: MilestoneWanted, slice: Slice) {
  return milestoneSearch.page(milestoneList, db, { ...wanted, ...searchFor(wanted.search) }, slice);
}

/** Which comments of a project somebody may read. */
export interface NotesWanted {
  readonly project: number;
  readonly user: number;
  readonly search: string;
  readonly types: readonly string[];
  /** Confidential issues too, and comments that only planners read. */
  readonly confidential: boolean;
  readonly internal: boolean;
}

const notes = form<NotesWanted & Searching>()({
  values: ['project', 'user', 'search', 'types', ...searchValues],
  lists: [...searchLists],
});

function openIssue({ user }: AskedOf<typeof notes>) {
  return sql<SqlBool>`(notes.noteable_type <> 'Issue' or exists (select 1 from issues i
    where i.id = notes.noteable_id and (i.confidential = 0 or i.author_id = ${user} or exists (
      select 1 from issue_assignees a where a.issue_id = i.id and a.user_id = ${user}))))`;
}

const noteList = shapedList(notes, (db, ask, engine) => {
  let query = noteSearch
    .narrow(db.selectFrom('notes'), 'notes.id', ask, engine)
    .selectAll('notes')
    .where('notes.project_id', '=', ask.project)
    .where('notes.system', '=', 0)
    .where('notes.noteable_type', 'in', ask.types)
    .where((eb) => contains(eb.ref('notes.body'), ask.search))
    .orderBy('notes.id', 'desc');
  if (!ask.internal) query = query.where('notes.internal', '=', 0);
  return ask.confidential ? query : query.where(openIssue(ask));
});

/** The comments of a project that hold a text, newest first. */
export function searchNotes(db: Reader, wanted: NotesWanted, slice: Slice) {
  return noteSearch.page(noteList, db, { ...wanted, ...searchFor(wanted.search) }, slice);
}

const people = form<{ group: number; now: number; search: string } & Searching>()({
  values: ['group', 'now', 'search', ...searchValues],
  lists: [...searchLists],
});

const peopleList = shapedList(people, (db, ask, engine) => {
  const { group, now, search } = ask;
  const inForce = sql`(m.expires_at is null or m.expires_at > ${now})`;
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${group}`;
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${group}`;
  const ids = sql`
    select m.user_id from members m where m.namespace_id in (${above} union ${below}) and ${inForce}
    union
    select m.user_id from members m join projects p on p.id = m.project_id
      where p.namespace_id in (${below}) and ${inForce}`;
  return userSearch
    .narrow(db.selectFrom('users'), 'users.id', ask, engine)
    .select(basicColumns)
    .where('users.state', '=', 'active')
    .where(sql<SqlBool>`users.id in (${ids})`)
    .where((eb) => eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]))
    .orderBy('users.id');
});

/** The members of a group, of those above and below it, and of the projects in it. */
export function searchPeople(db: Reader, group: number, search: string, slice: Slice) {
  return userSearch.page(peopleList, db, { group, now: Date.now(), search, ...searchFor(search) }, slice);
}
