import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { memberProjects, type Viewer, viewerOf, visibleProjects } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { impliedTotal, maxCountedRows, type Slice } from '../../platform/database/paging.ts';
import { sessionOf } from '../../platform/database/session.ts';
import { type Param as Placeholder, statement } from '../../platform/database/statement.ts';
import { type ParamsOf, param } from '../../platform/http/params.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { choice, compare, equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn } from '../../platform/list-kit/order.ts';
import type { Audience, TargetType } from './event.ts';
import { narrowToNewest, projectsWithEvents } from './member-list.ts';
import { countVisible, visibleTo } from './shown-list.ts';
import type { EventRow } from './tables.ts';

/** Events of one author, of one project, of several projects, or of all projects of a member. */
export type EventScope =
  | { readonly authorId: number }
  | { readonly projectId: number; readonly audiences: readonly Audience[] }
  | { readonly projectIds: readonly number[] }
  | { readonly memberId: number };

interface ListScope extends Viewer {
  readonly author?: number | undefined;
  readonly project?: number | undefined;
  readonly audiences?: readonly Audience[] | undefined;
  readonly member?: number | undefined;
  readonly among?: readonly number[] | undefined;
  readonly since?: number | undefined;
}

const listScope = boundProperties<ListScope>()({
  values: ['user', 'now', 'author', 'project', 'member', 'since'],
  lists: ['among'],
});

/** Values accepted by the `action` filter. */
const actions = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const;

const about = (...types: TargetType[]) =>
  sql<SqlBool>`events.target_type in (${sql.join(types.map((type) => sql.lit(type)))})`;
const dayMs = 24 * 60 * 60 * 1000;

export const eventList = list({
  id: 'events.id',
  scope: listScope,
  filters: {
    action: equals('events.action', param.oneOf(actions)),
    target_type: choice({
      issue: about('Issue'),
      milestone: about('Milestone'),
      merge_request: about('MergeRequest'),
      note: about('Note', 'DiffNote', 'DiscussionNote'),
      project: about('Project'),
      snippet: about('Snippet'),
      user: about('User'),
      wiki: about('WikiPage::Meta'),
      design: about('DesignManagement::Design'),
      epic: about('Epic'),
    }),
    before: compare('events.created_at', '<', param.date({ description: 'Only events before this day' }), {
      to: dayToInstant,
    }),
    after: compare('events.created_at', '>=', param.date({ description: 'Only events after this day' }), {
      to: (day) => dayToInstant(day) + dayMs,
    }),
  },
  orders: { created_at: byColumn('events.created_at', 'integer') },
  select: (db, scope) => {
    const { author, project, audiences, member, among, since } = scope;
    let query = db.selectFrom('events').selectAll('events');
    if (among) query = query.where(among.has(sql.ref('events.project_id')));
    if (since) query = query.where('events.created_at', '>=', since);
    if (project) query = query.where('events.project_id', '=', project);
    if (audiences) query = query.where('events.audience', 'in', audiences);
    else query = query.where((eb) => visibleTo(eb, db, scope));
    if (author) query = query.where('events.author_id', '=', author);
    if (member) {
      const projects = db
        .selectFrom('projects')
        .select('projects.id')
        .where((eb) => memberProjects(eb, member, undefined, scope.now));
      query = query.where('events.project_id', 'in', projects);
    }
    return query;
  },
});

/** Filter and sort parameters of event lists. */
export type EventFilter = ParamsOf<typeof eventList.params> & { readonly sort: 'asc' | 'desc' };

/**
 * Whether the author has more events than the counting limit. The check ignores visibility; beyond the limit no total
 * is reported.
 */
const hasMoreEvents = statement((db, value: Placeholder<{ author: number }>) =>
  db.selectFrom('events').select('id').where('author_id', '=', value('author')).offset(maxCountedRows).limit(1),
);

/** Maximum number of projects whose events are merged; each is read only as far as the page needs. */
const maxMerged = 20;

/** Returns one page of events, newest first by default. */
export async function listEvents(
  db: Reader,
  actor: Actor,
  scope: EventScope,
  { action, target_type, before, after, sort }: EventFilter,
  slice: Slice,
): Promise<{ rows: EventRow[]; total?: number; hasNext?: boolean }> {
  const viewer = viewerOf(actor);
  const filters = { action, target_type, before, after };
  const order = { by: 'created_at', direction: sort } as const;
  if ('projectIds' in scope) {
    // Events are indexed in order per project, so the lists are merged and each is read only as far as the page needs.
    const scopes = scope.projectIds.map((project) => ({ ...viewer, project }));
    return eventList.page(db, scopes, filters, order, slice);
  }
  const filtered = Object.values(filters).some((value) => value !== undefined);
  if ('authorId' in scope && viewer.sees !== 'all' && !filtered) {
    const author = scope.authorId;
    const more = await hasMoreEvents.first(db, { author });
    const oneMore = { offset: slice.offset, perPage: slice.perPage + 1 };
    const rows = await eventList.rows(db, { ...viewer, author }, filters, order, more ? oneMore : slice);
    if (more) return { rows: rows.slice(0, slice.perPage), hasNext: rows.length > slice.perPage };
    const shown = impliedTotal(rows, slice);
    if (shown !== undefined) return { rows, total: shown };
    // PostgreSQL would scan all projects rather than look up the joined ones.
    const byPlace = sessionOf(db).engine === 'sqlite';
    const total = byPlace ? countVisible(db, viewer, author) : eventList.count(db, { ...viewer, author }, filters);
    return { rows, total: await total };
  }
  if ('memberId' in scope) {
    const projects = await projectsWithEvents(db, scope.memberId, viewer.now);
    if (!projects) return eventList.page(db, { ...viewer, member: scope.memberId }, filters, order, slice);
    if (projects.length === 0) return { rows: [], total: 0 };
    if (projects.length <= maxMerged) {
      return eventList.page(
        db,
        projects.map(({ id }) => ({ ...viewer, project: id })),
        filters,
        order,
        slice,
      );
    }
    const newest = filtered || sort === 'asc' ? undefined : narrowToNewest(projects, slice);
    if (newest) {
      const oneMore = { offset: slice.offset, perPage: slice.perPage + 1 };
      const rows = await eventList.rows(db, { ...viewer, ...newest }, filters, order, oneMore);
      // Some events may be invisible to this member, in which case the page also includes older ones.
      if (rows.length > slice.perPage) return { rows: rows.slice(0, slice.perPage), hasNext: true };
    }
    return eventList.page(db, { ...viewer, among: projects.map(({ id }) => id) }, filters, order, slice);
  }
  const where =
    'projectId' in scope ? { project: scope.projectId, audiences: scope.audiences } : { author: scope.authorId };
  return eventList.page(db, { ...viewer, ...where }, filters, order, slice);
}

/** Returns the projects in a group hierarchy that the actor can see, most recently active first. */
export async function activeProjects(db: Reader, actor: Actor, groupId: number, limit: number): Promise<number[]> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', groupId);
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.namespace_id', 'in', below)
    .where((eb) => visibleProjects(eb, viewerOf(actor)))
    .orderBy('projects.last_activity_at', 'desc')
    .orderBy('projects.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Maximum number of events counted per user. */
const maxCounted = 20_000;

/** Counts a user's events per day (days since 1970) from an instant on, considering only events the actor may see. */
export async function eventsByDay(
  db: Reader,
  actor: Actor,
  authorId: number,
  since: number,
): Promise<{ day: number; count: number }[]> {
  const viewer = viewerOf(actor);
  const visibleEvents = db
    .selectFrom('events')
    .select(sql<number>`events.created_at / ${sql.lit(dayMs)}`.as('day'))
    .where('events.author_id', '=', authorId)
    .where('events.created_at', '>=', since)
    .where('events.action', 'not in', ['joined', 'left', 'expired'])
    .where((eb) => visibleTo(eb, db, viewer))
    .orderBy('events.created_at', 'desc')
    .orderBy('events.id', 'desc')
    .limit(maxCounted);
  const rows = await db
    .selectFrom(visibleEvents.as('seen'))
    .select(['day', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('day')
    .orderBy('day')
    .execute();
  return rows.map(({ day, count }) => ({ day: Number(day), count: Number(count) }));
}
