import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, seesAll } from '../../access/actor.ts';
import { memberProjects } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { allAudiences, projectsShowing } from './audience.ts';
import type { Audience } from './event.ts';
import type { EventRow } from './tables.ts';

/** What events are asked for. */
export interface EventFilter {
  readonly action?: string;
  readonly target_type?: string;
  readonly before?: string;
  readonly after?: string;
  readonly sort: 'asc' | 'desc';
}

/** Whose or where: of one author, in one project, or in all projects of a member. */
export type EventScope =
  | { readonly authorId: number }
  | { readonly projectId: number; readonly audiences: readonly Audience[] }
  | { readonly memberId: number };

const targets: Readonly<Record<string, readonly string[]>> = {
  issue: ['Issue'],
  milestone: ['Milestone'],
  merge_request: ['MergeRequest'],
  note: ['Note', 'DiffNote', 'DiscussionNote'],
  project: ['Project'],
  snippet: ['Snippet'],
  user: ['User'],
  wiki: ['WikiPage::Meta'],
  design: ['DesignManagement::Design'],
  epic: ['Epic'],
};
const actions: ReadonlySet<string> = new Set(
  'approved closed commented created destroyed expired joined left merged pushed reopened updated'.split(' '),
);

const day = 24 * 60 * 60 * 1000;

type Events = SelectQueryBuilder<Tables, 'events', EventRow>;

function filtered(query: Events, filter: EventFilter): Events {
  let result = query;
  // A word that is no kind of event filters nothing.
  if (filter.action !== undefined && actions.has(filter.action)) {
    result = result.where('events.action', '=', filter.action as EventRow['action']);
  }
  if (filter.target_type !== undefined) {
    result = result.where('events.target_type', 'in', targets[filter.target_type] ?? []);
  }
  if (filter.before !== undefined) result = result.where('events.created_at', '<', dayToInstant(filter.before));
  if (filter.after !== undefined) result = result.where('events.created_at', '>=', dayToInstant(filter.after) + day);
  return result.orderBy('events.created_at', filter.sort).orderBy('events.id', filter.sort);
}

type Builder = ExpressionBuilder<Tables, 'events'>;

/** Events in projects that the actor sees, each kind by its own rule; those outside of projects are for their author. */
function shownTo(eb: Builder, db: Reader, actor: Actor): Expression<SqlBool> {
  if (seesAll(actor)) return sql<SqlBool>`1 = 1`;
  const own = actor.user ? eb('events.author_id', '=', actor.user.id) : sql<SqlBool>`1 = 0`;
  const inside = allAudiences.map((audience) => {
    const projects = db
      .selectFrom('projects')
      .select('projects.id')
      .where((p) => projectsShowing(p, actor, audience));
    return eb.and([eb('events.audience', '=', audience), eb('events.project_id', 'in', projects)]);
  });
  return eb.or([...inside, eb.and([eb('events.project_id', 'is', null), own])]);
}

/** One page of events, newest first unless told. */
export async function listEvents(
  db: Reader,
  actor: Actor,
  scope: EventScope,
  filter: EventFilter,
  slice: Slice,
): Promise<{ rows: EventRow[]; total: number }> {
  let query = db.selectFrom('events').selectAll('events');
  if ('projectId' in scope) {
    query = query.where('events.project_id', '=', scope.projectId).where('events.audience', 'in', [...scope.audiences]);
  } else if ('authorId' in scope) {
    query = query.where('events.author_id', '=', scope.authorId).where((eb) => shownTo(eb, db, actor));
  } else {
    const projects = db
      .selectFrom('projects')
      .select('projects.id')
      .where((eb) => memberProjects(eb, scope.memberId));
    query = query.where('events.project_id', 'in', projects).where((eb) => shownTo(eb, db, actor));
  }
  return fetchPage(db, filtered(query, filter), slice);
}
