import { type Expression, type ExpressionBuilder, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import {
  inProjectsOf,
  memberProjects,
  projectsByName,
  type Value,
  type Viewer,
} from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import { shaped, written } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Audience } from './event.ts';

const eb = expressionBuilder<Tables, 'projects'>();

/** Whether the viewer holds at least a level in the project. */
type Holds = (least: number) => Expression<SqlBool>;

const columns = {
  code: 'projects.repository_access',
  merge_requests: 'projects.merge_requests_access',
  issues: 'projects.issues_access',
} as const;

const isFor = (...audiences: readonly Audience[]) =>
  sql<SqlBool>`events.audience in (${sql.join(audiences.map((audience) => sql.lit(audience)))})`;

/** Whether a feature is on, for everybody or for members alone. */
const isOn = (feature: keyof typeof columns) => eb(columns[feature], '>', 0);
const isForEveryone = (feature: keyof typeof columns) =>
  eb.and([isFor(feature), eb(columns[feature], '=', 20), eb('projects.visibility', '>', 0)]);

/** Levels of these features are kept among the settings, where only what differs from the default is written. */
const isUnchanged = (feature: 'snippets' | 'wiki') =>
  eb.and([isFor(feature), sql<SqlBool>`projects.settings not like ${sql.lit(`%"${feature}_access_level"%`)}`]);

/**
 * Whether a viewer may see an event of a project, both of which are at hand; the same rules as `audiencesIn`. Each role is asked
 * for once, since that is a query of its own. Guests of a private project do not see its code; planners and everyone above do.
 */
function projectShows(sees: 'internal' | 'public', holds: Holds): Expression<SqlBool> {
  const toWhoeverSeesIt = eb.or([
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
    eb.and([open, toWhoeverSeesIt]),
    eb.and([eb.or([toWhoeverSeesIt, toGuests]), holds(Role.guest)]),
    eb.and([toPlanners, holds(Role.planner)]),
  ]);
}

const nobody: Holds = () => sql<SqlBool>`1 = 0`;

/** Events in projects that the viewer sees, each kind by its own rule; those outside of projects are for their author. */
export function shownTo(
  events: ExpressionBuilder<Tables, 'events'>,
  db: Kysely<Tables>,
  { sees, user, now }: Viewer<Value>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const own = user ? events('events.author_id', '=', user) : sql<SqlBool>`1 = 0`;
  const holds: Holds = user === undefined ? nobody : (least) => inProjectsOf(user, least, now);
  // Asked of the project of each event: to collect the projects that a viewer sees would read all there are.
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id = events.project_id`)
    .where(projectShows(sees, holds));
  return events.or([events.exists(project), events.and([events('events.project_id', 'is', null), own])]);
}

/** The roles of whoever has more than so many are looked up project by project; fewer are collected first. */
const fewRoles = 100;

const hasManyRoles = statement((db, value: Param<{ user: number }>) =>
  db.selectFrom('members').select('id').where('user_id', '=', value('user')).offset(fewRoles).limit(1),
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
  /** Those of the viewer, who may be the author. */
  readonly roles: 'few' | 'many' | 'many of the author';
}

const counted = form<Counted>()({ values: ['user', 'now', 'author'] });

/**
 * The projects in which an author has no role by name. Sorted, so that SQLite goes through what was done and through the
 * roles side by side: to look up each role takes three times as long.
 */
const strangePlaces = (author: Value, now: Value) => sql<{ project_id: number }>`
  select e.project_id from events e where e.author_id = ${author} and e.project_id is not null
  except ${projectsByName(author, Role.planner, now)} order by 1`;

function holdsOf({ user, now, author, roles }: BoundFilterOf<typeof counted>): Holds {
  if (user === undefined) return nobody;
  if (roles === 'few') return (least) => memberProjects(eb, user, least, now);
  if (roles === 'many') return (least) => inProjectsOf(user, least, now);
  return (least) =>
    sql<SqlBool>`(projects.id not in (select project_id from strange) or ${inProjectsOf(author, least, now)})`;
}

/** Counted project by project, as an index has them. */
const insideProjects = shaped(
  counted,
  (db, ask) => {
    const { sees, now, author, roles } = ask;
    const strange =
      roles === 'many of the author' ? sql`with strange as materialized (${strangePlaces(author, now)})` : sql``;
    return written<{ total: number }>(
      db,
      sql`${strange} select count(*) as total from events cross join projects
      where events.author_id = ${author} and events.project_id is not null and projects.id = events.project_id
        and ${projectShows(sees, holdsOf(ask))}`,
    );
  },
  'generic',
);

/** How many things somebody did that a viewer who does not see everything may see. */
export async function countShown(db: Reader, { sees, user, now }: Viewer, author: number): Promise<number> {
  if (sees === 'all') throw new Error('whoever sees all asks nothing of each event');
  const many = user !== undefined && (await hasManyRoles.first(db, { user }));
  const roles = !many ? 'few' : user === author ? 'many of the author' : 'many';
  const inside = await insideProjects.first(db, { sees, user, now, author, roles });
  const outside = user === author ? await outsideOfProjects.first(db, { author }) : undefined;
  return Number(inside?.total ?? 0) + Number(outside?.total ?? 0);
}
