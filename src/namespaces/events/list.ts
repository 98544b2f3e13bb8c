import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { Role, Visibility } from '../../access/roles.ts';
import { memberProjects, type Value, type Viewer, viewerOf } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ParamsOf, param } from '../../platform/http/params.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { choice, compare, equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn } from '../../platform/list-kit/order.ts';
import { allAudiences } from './audience.ts';
import type { Audience, TargetType } from './event.ts';
import type { EventRow } from './tables.ts';

/** Whose or where: of one author, in one project, or in all projects of a member. */
export type EventScope =
  | { readonly authorId: number }
  | { readonly projectId: number; readonly audiences: readonly Audience[] }
  | { readonly memberId: number };

interface ListScope extends Viewer {
  readonly author?: number | undefined;
  readonly project?: number | undefined;
  readonly audiences?: readonly Audience[] | undefined;
  readonly member?: number | undefined;
}

const listScope = form<ListScope>()({ values: ['user', 'now', 'author', 'project', 'member'] });
type BoundScope = BoundFilterOf<typeof listScope>;

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
function shownTo(eb: ExpressionBuilder<Tables, 'events'>, db: Kysely<Tables>, scope: BoundScope): Expression<SqlBool> {
  if (scope.sees === 'all') return sql<SqlBool>`1 = 1`;
  const own = scope.user ? eb('events.author_id', '=', scope.user) : sql<SqlBool>`1 = 0`;
  // Asked of the project of each event: to collect the projects that a viewer sees would read all there are.
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id = events.project_id`)
    .where((p) =>
      p.or(
        allAudiences.map((audience) =>
          p.and([sql<SqlBool>`events.audience = ${sql.lit(audience)}`, projectsShowing(p, scope, audience)]),
        ),
      ),
    );
  return eb.or([eb.exists(project), eb.and([eb('events.project_id', 'is', null), own])]);
}

/** The kinds of event that can be asked for. */
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
    const { author, project, audiences, member } = scope;
    let query = db.selectFrom('events').selectAll('events');
    if (project) query = query.where('events.project_id', '=', project);
    if (audiences) query = query.where('events.audience', 'in', audiences);
    else query = query.where((eb) => shownTo(eb, db, scope));
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

/** What events are asked for. */
export type EventFilter = ParamsOf<typeof eventList.params> & { readonly sort: 'asc' | 'desc' };

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
  const order = { by: 'created_at', direction: sort } as const;
  return eventList.page(db, { ...viewerOf(actor), ...where }, { action, target_type, before, after }, order, slice);
}
