import { type Expression, type ExpressionBuilder, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import {
  hasProjectRole,
  memberProjects,
  type NumberOrParameter,
  projectsByDirectMembership,
  type Viewer,
} from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { rawQuery, shapedQuery } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Audience } from './event.ts';

const eb = expressionBuilder<Tables, 'projects'>();

/** Condition that the viewer has at least the given access level in the project. */
type Holds = (least: number) => Expression<SqlBool>;

const columns = {
  code: 'projects.repository_access',
  merge_requests: 'projects.merge_requests_access',
  issues: 'projects.issues_access',
} as const;

const isFor = (...audiences: readonly Audience[]) =>
  sql<SqlBool>`events.audience in (${sql.join(audiences.map((audience) => sql.lit(audience)))})`;

/** Whether a feature is enabled, for everyone or for members only. */
const isOn = (feature: keyof typeof columns) => eb(columns[feature], '>', 0);
const isForEveryone = (feature: keyof typeof columns) =>
  eb.and([isFor(feature), eb(columns[feature], '=', 20), eb('projects.visibility', '>', 0)]);

/**
 * The access levels of these features are stored in the settings JSON, which contains only values that differ from the
 * default.
 */
const isUnchanged = (feature: 'snippets' | 'wiki') =>
  eb.and([isFor(feature), sql<SqlBool>`projects.settings not like ${sql.lit(`%"${feature}_access_level"%`)}`]);

/**
 * Whether a viewer may see an event of a project when both rows are joined. Implements the same rules as `audiencesIn`.
 * Each role is checked once because every check is a subquery. Guests of a private project cannot see its code;
 * planners and above can.
 */
function projectShows(sees: 'internal' | 'public', holds: Holds): Expression<SqlBool> {
  const toAllViewers = eb.or([
    isFor('project'),
    isUnchanged('snippets'),
    isUnchanged('wiki'),
    isForEveryone('code'),
    isForEveryone('merge_requests'),
    isForEveryone('issues'),
  ]);
  const toGuests = eb.and([isFor('issues'), isOn('issues')]);
  const toPlanners = eb.or([
    eb.and([isFor('confidential', 'internal'), isOn('issues')]),
    eb.and([isFor('code'), isOn('code')]),
    eb.and([isFor('merge_requests'), isOn('merge_requests')]),
  ]);
  const open = eb('projects.visibility', '>=', Visibility[sees]);
  return eb.or([
    eb.and([open, toAllViewers]),
    eb.and([eb.or([toAllViewers, toGuests]), holds(Role.guest)]),
    eb.and([toPlanners, holds(Role.planner)]),
  ]);
}

const nobody: Holds = () => sql<SqlBool>`1 = 0`;

/**
 * Events of projects visible to the viewer, filtered by audience. Events outside of projects are visible to their
 * author only.
 */
export function visibleTo(
  events: ExpressionBuilder<Tables, 'events'>,
  db: Kysely<Tables>,
  { sees, user, now }: Viewer<NumberOrParameter>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const own = user ? events('events.author_id', '=', user) : sql<SqlBool>`1 = 0`;
  const holds: Holds = user === undefined ? nobody : (least) => hasProjectRole(user, least, now);
  // Correlated per event: collecting the projects visible to the viewer first would read all projects.
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id = events.project_id`)
    .where(projectShows(sees, holds));
  return events.or([events.exists(project), events.and([events('events.project_id', 'is', null), own])]);
}

/** Above this number of roles they are looked up per project; up to it they are collected first. */
const maxCollectedRoles = 100;

const hasManyRoles = statement((db, value: Param<{ user: number }>) =>
  db.selectFrom('members').select('id').where('user_id', '=', value('user')).offset(maxCollectedRoles).limit(1),
);

const outsideOfProjects = statement((db, value: Param<{ author: number }>) =>
  db
    .selectFrom('events')
    .select(sql<number>`count(*)`.as('total'))
    .where('author_id', '=', value('author'))
    .where('project_id', 'is', null),
);

interface Counted {
  readonly sees: 'internal' | 'public';
  readonly user?: number | undefined;
  readonly now: number;
  readonly author: number;
  /** The roles of the viewer, who may also be the author. */
  readonly roles: 'few' | 'many' | 'many of the author';
}

const counted = boundProperties<Counted>()({ values: ['user', 'now', 'author'] });

/**
 * Projects in which the author has events but no direct role. Sorted so that SQLite scans contributions and roles side
 * by side; looking up each role individually takes three times as long.
 */
const projectsWithoutRole = (author: NumberOrParameter, now: NumberOrParameter) => sql<{ project_id: number }>`
  select e.project_id from events e where e.author_id = ${author} and e.project_id is not null
  except ${projectsByDirectMembership(author, Role.planner, now)} order by 1`;

function holdsOf({ user, now, author, roles }: BoundFilterOf<typeof counted>): Holds {
  if (user === undefined) return nobody;
  if (roles === 'few') return (least) => memberProjects(eb, user, least, now);
  if (roles === 'many') return (least) => hasProjectRole(user, least, now);
  return (least) =>
    sql<SqlBool>`(projects.id not in (select project_id from strange) or ${hasProjectRole(author, least, now)})`;
}

/** Counted per project, matching the index. */
const insideProjects = shapedQuery(
  counted,
  (db, ask) => {
    const { sees, now, author, roles } = ask;
    const strange =
      roles === 'many of the author' ? sql`with strange as materialized (${projectsWithoutRole(author, now)})` : sql``;
    return rawQuery<{ total: number }>(
      db,
      sql`${strange} select count(*) as total from events cross join projects
      where events.author_id = ${author} and events.project_id is not null and projects.id = events.project_id
        and ${projectShows(sees, holdsOf(ask))}`,
    );
  },
  'generic',
);

/** Counts an author's events that are visible to a viewer who does not see everything. */
export async function countVisible(db: Reader, { sees, user, now }: Viewer, author: number): Promise<number> {
  if (sees === 'all') throw new Error('a viewer who sees everything needs no per-event check');
  const many = user !== undefined && (await hasManyRoles.first(db, { user }));
  const roles = !many ? 'few' : user === author ? 'many of the author' : 'many';
  const inside = await insideProjects.first(db, { sees, user, now, author, roles });
  const outside = user === author ? await outsideOfProjects.first(db, { author }) : undefined;
  return Number(inside?.total ?? 0) + Number(outside?.total ?? 0);
}
