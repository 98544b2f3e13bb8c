import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { Role, Visibility } from '../../access/roles.ts';
import { memberProjects, type Value, type Viewer, viewerOf } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { allAudiences } from './audience.ts';
import type { Audience, EventAction } from './event.ts';
import type { EventRow } from './tables.ts';

/** What events are asked for. */
export interface EventFilter {
  readonly action?: Exclude<EventAction, 'imported'>;
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
const day = 24 * 60 * 60 * 1000;

interface ListFilter extends Viewer {
  readonly author?: number | undefined;
  readonly project?: number | undefined;
  readonly audiences?: readonly Audience[] | undefined;
  readonly member?: number | undefined;
  readonly action?: EventAction | undefined;
  readonly target?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly sort: 'asc' | 'desc';
}

const listFilter = form<ListFilter>()({
  values: ['user', 'now', 'author', 'project', 'member', 'action', 'before', 'after'],
});
type BoundFilter = AskedOf<typeof listFilter>;

type Projects = ExpressionBuilder<Tables, 'projects'>;

// Guests of a private project do not see its code; planners and everyone above do.
const members = { code: Role.planner, merge_requests: Role.planner, issues: Role.guest } as const;
const columns = {
  code: 'projects.repository_access',
  merge_requests: 'projects.merge_requests_access',
  issues: 'projects.issues_access',
} as const;

/** The projects whose events of an audience a viewer may see; the same rules as `audiencesIn`, over many projects. */
function projectsShowing(eb: Projects, { sees, user, now }: Viewer<Value>, audience: Audience): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = eb('projects.visibility', '>=', Visibility[sees]);
  const member = (least: number) => (user === undefined ? sql<SqlBool>`1 = 0` : memberProjects(eb, user, least, now));
  if (audience === 'project') return eb.or([open, member(Role.guest)]);
  if (audience === 'confidential' || audience === 'internal') {
    return eb.and([eb(columns.issues, '>', 0), member(Role.planner)]);
  }
  if (audience === 'snippets' || audience === 'wiki') {
    // Levels of these features are kept among the settings, where only what differs from the default is written.
    const unchanged = sql<SqlBool>`projects.settings not like ${`%"${audience}_access_level"%`}`;
    return eb.and([unchanged, eb.or([open, member(Role.guest)])]);
  }
  const column = columns[audience];
  const everyone = eb.and([eb(column, '=', 20), eb('projects.visibility', '>', 0), eb.or([open, member(Role.guest)])]);
  return eb.or([everyone, eb.and([eb(column, '>', 0), member(members[audience])])]);
}

/** Events in projects that the viewer sees, each kind by its own rule; those outside of projects are for their author. */
function shownTo(
  eb: ExpressionBuilder<Tables, 'events'>,
  db: Kysely<Tables>,
  filter: BoundFilter,
): Expression<SqlBool> {
  if (filter.sees === 'all') return sql<SqlBool>`1 = 1`;
  const own = filter.user ? eb('events.author_id', '=', filter.user) : sql<SqlBool>`1 = 0`;
  // Asked of the project of each event: to collect the projects that a viewer sees would read all there are.
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id = events.project_id`)
    .where((p) =>
      p.or(
        allAudiences.map((audience) =>
          p.and([sql<SqlBool>`events.audience = ${sql.lit(audience)}`, projectsShowing(p, filter, audience)]),
        ),
      ),
    );
  return eb.or([eb.exists(project), eb.and([eb('events.project_id', 'is', null), own])]);
}

const eventList = shapedList(listFilter, (db, filter) => {
  const { author, project, audiences, member, action, target, before, after, sort } = filter;
  let query = db.selectFrom('events').selectAll('events');
  if (project) query = query.where('events.project_id', '=', project);
  if (audiences) query = query.where('events.audience', 'in', audiences);
  else query = query.where((eb) => shownTo(eb, db, filter));
  if (author) query = query.where('events.author_id', '=', author);
  if (member) {
    const projects = db
      .selectFrom('projects')
      .select('projects.id')
      .where((eb) => memberProjects(eb, member, undefined, filter.now));
    query = query.where('events.project_id', 'in', projects);
  }
  if (action) query = query.where('events.action', '=', action);
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
  const filter = {
    ...viewerOf(actor),
    ...where,
    action,
    target: target_type,
    before,
    after,
    sort,
  };
  return eventList.page(db, filter, slice);
}
