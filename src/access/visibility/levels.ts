import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type CustomPermission, noPermissions } from '../custom-permissions.ts';
import {
  effectiveRole,
  type HeldRole,
  type MemberRoles,
  memberRolesAmong,
  noRoles,
  roleElsewhere,
} from './member-roles.ts';

/** The roles of a user in one project or group, by origin. */
export interface Levels {
  /** From a membership in the project or group itself. */
  readonly direct: number;
  /** Inherited from ancestor groups, or obtained through an invited group. */
  readonly inherited: number;
  readonly highest: number;
  /** What custom roles add, of whatever origin. */
  readonly permissions: ReadonlySet<CustomPermission>;
}

export const noLevels: Levels = { direct: 0, inherited: 0, highest: 0, permissions: noPermissions };

/** A role with its origin: a project or a namespace, and the instants at which it expires. */
interface Held extends HeldRole {
  readonly project: number | null;
  readonly namespace: number | null;
  /** 1 for a direct membership. */
  readonly own: number;
  readonly share_ends: number | null;
  readonly member_ends: number | null;
}

type Condition = (column: string) => Expression<SqlBool>;

/** Selects the roles of a user in one or several places. */
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

const noId = sql<number | null>`cast(null as bigint)`;
const noLevel = sql<number | null>`cast(null as integer)`;
const ownRole = [
  'm.access_level as level',
  'm.member_role_id as role',
  noLevel.as('share_level'),
  noId.as('share_role'),
] as const;

const lentRole = (namespace: RawBuilder<unknown>) =>
  [
    'm.access_level as level',
    roleElsewhere(namespace).as('role'),
    's.access_level as share_level',
    's.member_role_id as share_role',
  ] as const;

/** Direct memberships in projects. */
function fromProjects(db: Db, { user, inProjects }: InProjects) {
  return db
    .selectFrom('members as m')
    .select([
      'm.project_id as project',
      noId.as('namespace'),
      sql<number>`1`.as('own'),
      ...ownRole,
      noId.as('share_ends'),
      'm.expires_at as member_ends',
    ])
    .where(inProjects('m.project_id'))
    .where('m.user_id', '=', user);
}

// `cross join` makes SQLite join in this order: from the project or group, which has few ancestors, to their members by
// group and user. Otherwise it would start from all memberships of the user, and a bot has thousands.

/** Memberships in namespaces and their ancestors. */
function fromGroups(db: Db, { user, inNamespaces }: InNamespaces) {
  return db
    .selectFrom('namespace_ancestors as a')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'a.ancestor_id')
    .select([
      noId.as('project'),
      'a.namespace_id as namespace',
      sql<number>`case when a.depth = 0 then 1 else 0 end`.as('own'),
      ...ownRole,
      noId.as('share_ends'),
      'm.expires_at as member_ends',
    ])
    .where(inNamespaces('a.namespace_id'))
    .where('m.user_id', '=', user);
}

/** Roles through groups invited to the namespaces or their ancestors: the lower of share and membership applies. */
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
      noId.as('project'),
      'a.namespace_id as namespace',
      sql<number>`0`.as('own'),
      ...lentRole(sql`a.namespace_id`),
      's.expires_at as share_ends',
      'm.expires_at as member_ends',
    ])
    .where(inNamespaces('a.namespace_id'))
    .where('m.user_id', '=', user);
}

/** Roles through groups invited to projects. */
function fromGroupsInvitedToProjects(db: Db, { user, inProjects }: InProjects) {
  return db
    .selectFrom('project_shares as s')
    .crossJoin('namespace_ancestors as g')
    .whereRef('g.namespace_id', '=', 's.with_namespace_id')
    .crossJoin('members as m')
    .whereRef('m.namespace_id', '=', 'g.ancestor_id')
    .select([
      's.project_id as project',
      noId.as('namespace'),
      sql<number>`0`.as('own'),
      ...lentRole(sql`(select p.namespace_id from projects p where p.id = s.project_id)`),
      's.expires_at as share_ends',
      'm.expires_at as member_ends',
    ])
    .where(inProjects('s.project_id'))
    .where('m.user_id', '=', user);
}

const everyRole = (db: Db, target: InProjects & InNamespaces) =>
  fromProjects(db, target)
    .unionAll(fromGroups(db, target))
    .unionAll(fromGroupsInvitedToGroups(db, target))
    .unionAll(fromGroupsInvitedToProjects(db, target));

const is = (value: Expression<number>) => (column: string) => sql<SqlBool>`${sql.ref(column)} = ${value}`;
const isAmong = (list: Expression<number>) => (column: string) => sql<SqlBool>`${sql.ref(column)} in ${list}`;

const inGroup = statement(
  (db, param: Param<{ user: number; namespace: number }>) => {
    const target = { user: param('user'), inNamespaces: is(param('namespace')) };
    return fromGroups(db, target).unionAll(fromGroupsInvitedToGroups(db, target));
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

/** Summarizes the unexpired roles in a project or group. */
function summarize(held: readonly Held[], kind: 'project' | 'namespace', roles: MemberRoles): Levels {
  if (held.length === 0) return noLevels;
  const now = Date.now();
  const isExpired = (end: number | null) => end !== null && end <= now;
  let direct = 0;
  let inherited = 0;
  let permissions = noPermissions;
  for (const row of held) {
    if (isExpired(row.share_ends) || isExpired(row.member_ends)) continue;
    const level = row.share_level === null ? row.level : Math.min(row.level, row.share_level);
    if (row.own === 1 && row[kind] !== null) direct = Math.max(direct, level);
    else inherited = Math.max(inherited, level);
    const added = roles.size === 0 ? undefined : effectiveRole(row, roles)?.permissions;
    if (added) permissions = permissions.union(added);
  }
  return { direct, inherited, highest: Math.max(direct, inherited), permissions };
}

/** The user's roles in a project. */
export async function projectLevels(
  db: Reader,
  user: number,
  project: { id: number; namespace_id: number },
): Promise<Levels> {
  const held = await inProject.all(db, { user, project: project.id, namespace: project.namespace_id });
  return summarize(held, 'project', await memberRolesAmong(db, held));
}

/** The user's roles in a group. */
export async function groupLevels(db: Reader, user: number, namespace: number): Promise<Levels> {
  const held = await inGroup.all(db, { user, namespace });
  return summarize(held, 'namespace', await memberRolesAmong(db, held));
}

/** The user's roles in several projects, by project id, in one query. */
export async function levelsInProjects(
  db: Reader,
  user: number,
  projects: readonly { id: number; namespace_id: number }[],
): Promise<Map<number, Levels>> {
  const ids = projects.map(({ id }) => id);
  const namespaces = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const held = await inMany.all(db, { user, projects: ids, namespaces });
  const roles = await memberRolesAmong(db, held);
  const byProject = Map.groupBy(held, ({ project }) => project);
  const byNamespace = Map.groupBy(held, ({ namespace }) => namespace);
  return new Map(
    projects.map(({ id, namespace_id }) => {
      const rows = [...(byProject.get(id) ?? []), ...(byNamespace.get(namespace_id) ?? [])];
      return [id, summarize(rows, 'project', roles)];
    }),
  );
}

/** The user's highest role in several groups, by group id, in one query; groups without a role are omitted. */
export async function levelsInGroups(
  db: Reader,
  user: number,
  namespaces: readonly number[],
): Promise<Map<number, number>> {
  const held = await inMany.all(db, { user, projects: [], namespaces });
  const highest = new Map<number, number>();
  for (const [namespace, rows] of Map.groupBy(held, (row) => row.namespace)) {
    const level = summarize(rows, 'namespace', noRoles).highest;
    if (namespace !== null && level > 0) highest.set(namespace, level);
  }
  return highest;
}
