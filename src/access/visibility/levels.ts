import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { least } from '../../platform/database/expressions.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** The roles of one user in one place, by where they come from. */
export interface Levels {
  /** Of a membership in the project or group itself. */
  readonly direct: number;
  /** Inherited from groups above, or lent through an invited group. */
  readonly inherited: number;
  readonly highest: number;
}

export const noLevels: Levels = { direct: 0, inherited: 0, highest: 0 };

/** A role as a row has it: in a project or in a namespace, with the instants at which it no longer counts. */
interface Held {
  readonly project: number | null;
  readonly namespace: number | null;
  /** 1 for a membership in that very place. */
  readonly own: number;
  readonly level: number;
  readonly share_ends: number | null;
  readonly member_ends: number | null;
}

type Condition = (column: string) => Expression<SqlBool>;

/** Whose roles, and in which places: one, or many at once. */
interface OfUser {
  readonly user: Expression<number>;
}
interface InProjects extends OfUser {
  readonly inProjects: Condition;
}
interface InNamespaces extends OfUser {
  readonly inNamespaces: Condition;
}

type Db = Kysely<Tables>;

const nothing = sql<number | null>`cast(null as bigint)`;
const lowerOfBoth = () => least(sql.ref<number>('s.access_level'), sql.ref<number>('m.access_level'));

/** Memberships in the projects themselves. */
function fromProjects(db: Db, { user, inProjects }: InProjects) {
  return db
    .selectFrom('members as m')
    .select([
      'm.project_id as project',
      nothing.as('namespace'),
      sql<number>`1`.as('own'),
      'm.access_level as level',
      nothing.as('share_ends'),
      'm.expires_at as member_ends',
    ])
    .where(inProjects('m.project_id'))
    .where('m.user_id', '=', user);
}

// `cross join` keeps SQLite to the order written: from the place asked about, which has few groups above it, to the
// members by group and user. It would start from all memberships of the user otherwise, and a bot has thousands.

/** Memberships in the namespaces and those above them. */
function fromGroups(db: Db, { user, inNamespaces }: InNamespaces) {
  return db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'a.ancestor_id')
    .select([
      nothing.as('project'),
      'a.namespace_id as namespace',
      sql<number>`case when a.depth = 0 then 1 else 0 end`.as('own'),
      'm.access_level as level',
      nothing.as('share_ends'),
      'm.expires_at as member_ends',
    ])
    .where(inNamespaces('a.namespace_id'))
    .where('m.user_id', '=', user);
}

/** Groups invited to the namespaces or those above them, in which the user has a role: the lower of the two counts. */
function fromGroupsInvitedToGroups(db: Db, { user, inNamespaces }: InNamespaces) {
  return db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('group_shares as s')
    .whereRef('s.namespace_id', '=', 'a.ancestor_id')
    .crossJoin('namespace_ancestors as g')
    .whereRef('g.namespace_id', '=', 's.with_namespace_id')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'g.ancestor_id')
    .select([
      nothing.as('project'),
      'a.namespace_id as namespace',
      sql<number>`0`.as('own'),
      lowerOfBoth().as('level'),
      's.expires_at as share_ends',
      'm.expires_at as member_ends',
    ])
    .where(inNamespaces('a.namespace_id'))
    .where('m.user_id', '=', user);
}

/** Groups invited to the projects, likewise. */
function fromGroupsInvitedToProjects(db: Db, { user, inProjects }: InProjects) {
  return db
    .selectFrom('project_shares as s')
    .crossJoin('namespace_ancestors as g')
    .whereRef('g.namespace_id', '=', 's.with_namespace_id')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'g.ancestor_id')
    .select([
      's.project_id as project',
      nothing.as('namespace'),
      sql<number>`0`.as('own'),
      lowerOfBoth().as('level'),
      's.expires_at as share_ends',
      'm.expires_at as member_ends',
    ])
    .where(inProjects('s.project_id'))
    .where('m.user_id', '=', user);
}

const everyRole = (db: Db, asked: InProjects & InNamespaces) =>
  fromProjects(db, asked)
    .unionAll(fromGroups(db, asked))
    .unionAll(fromGroupsInvitedToGroups(db, asked))
    .unionAll(fromGroupsInvitedToProjects(db, asked));

const is = (value: Expression<number>) => (column: string) => sql<SqlBool>`${sql.ref(column)} = ${value}`;
const isAmong = (list: Expression<number>) => (column: string) => sql<SqlBool>`${sql.ref(column)} in ${list}`;

const inGroup = statement(
  (db, param: Param<{ user: number; namespace: number }>) => {
    const asked = { user: param('user'), inNamespaces: is(param('namespace')) };
    return fromGroups(db, asked).unionAll(fromGroupsInvitedToGroups(db, asked));
  },
  { cached: true },
);

const inProject = statement(
  (db, param: Param<{ user: number; project: number; namespace: number }>) =>
    everyRole(db, { user: param('user'), inProjects: is(param('project')), inNamespaces: is(param('namespace')) }),
  { cached: true },
);

const inMany = statement(
  (db, param: Param<{ user: number; projects: readonly number[]; namespaces: readonly number[] }>) =>
    everyRole(db, {
      user: param('user'),
      inProjects: isAmong(param.ids('projects')),
      inNamespaces: isAmong(param.ids('namespaces')),
    }),
);

/** The roles that are still in force, for a place of this kind. */
function summarize(held: readonly Held[], kind: 'project' | 'namespace'): Levels {
  if (held.length === 0) return noLevels;
  const now = Date.now();
  const isOver = (end: number | null) => end !== null && end <= now;
  let direct = 0;
  let inherited = 0;
  for (const row of held) {
    if (isOver(row.share_ends) || isOver(row.member_ends)) continue;
    if (row.own === 1 && row[kind] !== null) direct = Math.max(direct, row.level);
    else inherited = Math.max(inherited, row.level);
  }
  return { direct, inherited, highest: Math.max(direct, inherited) };
}

/** The user's roles in a project. */
export async function projectLevels(
  db: Reader,
  user: number,
  project: { id: number; namespace_id: number },
): Promise<Levels> {
  const held = await inProject.all(db, { user, project: project.id, namespace: project.namespace_id });
  return summarize(held, 'project');
}

/** The user's roles in a group. */
export async function groupLevels(db: Reader, user: number, namespace: number): Promise<Levels> {
  return summarize(await inGroup.all(db, { user, namespace }), 'namespace');
}

/** The user's roles in several projects by their numbers, in one query. */
export async function levelsInProjects(
  db: Reader,
  user: number,
  projects: readonly { id: number; namespace_id: number }[],
): Promise<Map<number, Levels>> {
  const ids = projects.map(({ id }) => id);
  const namespaces = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const held = await inMany.all(db, { user, projects: ids, namespaces });
  const byProject = Map.groupBy(held, ({ project }) => project);
  const byNamespace = Map.groupBy(held, ({ namespace }) => namespace);
  return new Map(
    projects.map(({ id, namespace_id }) => {
      const rows = [...(byProject.get(id) ?? []), ...(byNamespace.get(namespace_id) ?? [])];
      return [id, summarize(rows, 'project')];
    }),
  );
}

/** The user's highest role in several groups by their numbers, in one query; 0 is left out. */
export async function levelsInGroups(
  db: Reader,
  user: number,
  namespaces: readonly number[],
): Promise<Map<number, number>> {
  const held = await inMany.all(db, { user, projects: [], namespaces });
  const highest = new Map<number, number>();
  for (const [namespace, rows] of Map.groupBy(held, (row) => row.namespace)) {
    const level = summarize(rows, 'namespace').highest;
    if (namespace !== null && level > 0) highest.set(namespace, level);
  }
  return highest;
}
