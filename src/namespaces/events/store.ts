import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { memberProjects, type Viewer, viewerOf } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { shapedList } from '../../platform/database/shaped.ts';
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

interface EventQuestion extends Viewer {
  readonly author?: number | undefined;
  readonly project?: number | undefined;
  readonly audiences?: readonly Audience[] | undefined;
  readonly member?: number | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly sort: 'asc' | 'desc';
}

const eventQuestion = form<EventQuestion>()({
  values: ['user', 'now', 'author', 'project', 'member', 'action', 'before', 'after'],
});
type Ask = AskedOf<typeof eventQuestion>;

/** Events in projects that the viewer sees, each kind by its own rule; those outside of projects are for their author. */
function shownTo(eb: ExpressionBuilder<Tables, 'events'>, db: Kysely<Tables>, ask: Ask): Expression<SqlBool> {
  if (ask.sees === 'all') return sql<SqlBool>`1 = 1`;
  const own = ask.user ? eb('events.author_id', '=', ask.user) : sql<SqlBool>`1 = 0`;
  // Asked of the project of each event: to collect the projects that a viewer sees would read all there are.
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id = events.project_id`)
    .where((p) =>
      p.or(
        allAudiences.map((audience) =>
          p.and([sql<SqlBool>`events.audience = ${sql.lit(audience)}`, projectsShowing(p, ask, audience)]),
        ),
      ),
    );
  return eb.or([eb.exists(project), eb.and([eb('events.project_id', 'is', null), own])]);
}

const eventList = shapedList(eventQuestion, (db, ask) => {
  const { author, project, audiences, member, action, target, before, after, sort } = ask;
  let query = db.selectFrom('events').selectAll('events');
  if (project) query = query.where('events.project_id', '=', project);
  if (audiences) query = query.where('events.audience', 'in', audiences);
  else query = query.where((eb) => shownTo(eb, db, ask));
  if (author) query = query.where('events.author_id', '=', author);
  if (member) {
    const projects = db
      .selectFrom('projects')
      .select('projects.id')
      .where((eb) => memberProjects(eb, member, undefined, ask.now));
    query = query.where('events.project_id', 'in', projects);
  }
  if (action) query = query.where('events.action', '=', action as Expression<EventRow['action']>);
  if (target) query = query.where('events.target_type', 'in', targets[target] ?? []);
  if (before) query = query.where('events.created_at', '<', before.to(dayToInstant));
  if (after)
    query = query.where(
      'events.created_at',
      '>=',
      after.to((text) => dayToInstant(text) + day),
    );
  return query.orderBy('events.created_at', sort).orderBy('events.id', sort);
});

/** One page of events, newest first unless told. */
export function listEvents(
  db: Reader,
  actor: Actor,
  scope: EventScope,
  { action, target_type, before, after, sort }: EventFilter,
  slice: Slice,
): Promise<{ rows: EventRow[]; total: number }> {
  const where =
    'projectId' in scope
      ? { project: scope.projectId, audiences: scope.audiences }
      : 'authorId' in scope
        ? { author: scope.authorId }
        : { member: scope.memberId };
  const question = {
    ...viewerOf(actor),
    ...where,
    // A word that is no kind of event filters nothing.
    action: action !== undefined && actions.has(action) ? action : undefined,
    target: target_type,
    before,
    after,
    sort,
  };
  return eventList.page(db, question, slice);
}
