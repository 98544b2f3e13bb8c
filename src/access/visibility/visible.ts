import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { type Actor, canReadEverything } from '../actor.ts';
import { Role, Visibility } from '../roles.ts';

type ProjectsBuilder = ExpressionBuilder<Tables, 'projects'>;
type NamespacesBuilder = ExpressionBuilder<Tables, 'namespaces'>;
/** A number, or its placeholder in a prepared statement. */
export type NumberOrParameter = number | Expression<number>;

/** Condition for rows of `members` or shares that have not expired. */
const inForce = (table: string, now: NumberOrParameter) =>
  sql<SqlBool>`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

/** Condition for `m` as a membership of the user in a group, with at least a role. */
const isMember = (user: NumberOrParameter, least: NumberOrParameter, now: NumberOrParameter) =>
  sql`m.user_id = ${user} and m.namespace_id is not null and m.access_level >= ${least} and ${inForce('m', now)}`;

/**
 * Condition for `s` as an invitation of that group with at least the same role, because the lower of the two applies.
 */
const isInvited = (least: NumberOrParameter, now: NumberOrParameter) =>
  sql`s.access_level >= ${least} and ${inForce('s', now)}`;

/**
 * Namespaces in which a user has at least a role, by membership there or in an ancestor, or through an invited group.
 * For `in`: may contain duplicates, since removing them costs as much as finding them.
 */
export function memberNamespaceIds(
  user: NumberOrParameter,
  least: NumberOrParameter,
  now: NumberOrParameter = Date.now(),
) {
  return sql<number>`
    select a.namespace_id from members m
      join namespace_ancestors a on a.ancestor_id = m.namespace_id
      where ${isMember(user, least, now)}
    union all
    select a.namespace_id from members m
      join namespace_ancestors g on g.ancestor_id = m.namespace_id
      join group_shares s on s.with_namespace_id = g.namespace_id
      join namespace_ancestors a on a.ancestor_id = s.namespace_id
      where ${isMember(user, least, now)} and ${isInvited(least, now)}`;
}

/** Projects to which a group was invited in which the user has at least a role; for `in`. */
const projectsLent = (user: NumberOrParameter, least: NumberOrParameter, now: NumberOrParameter) => sql<number>`
    select s.project_id from members m
      join namespace_ancestors g on g.ancestor_id = m.namespace_id
      join project_shares s on s.with_namespace_id = g.namespace_id
      where ${isMember(user, least, now)} and ${isInvited(least, now)}`;

/** Projects in which a user has at least a role other than through the project's namespace; for `in`. */
export function projectIdsWithDirectRole(user: NumberOrParameter, least: NumberOrParameter, now: NumberOrParameter) {
  return sql<number>`
    select m.project_id from members m
      where m.user_id = ${user} and m.project_id is not null and m.access_level >= ${least} and ${inForce('m', now)}
    union all ${projectsLent(user, least, now)}`;
}

/**
 * Projects in which a user has at least a role by direct membership, ordered by id. An index of members provides this
 * order, so that comparing them in order needs no lookups.
 */
export function projectsByDirectMembership(user: NumberOrParameter, least: NumberOrParameter, now: NumberOrParameter) {
  return sql<number>`select m.project_id from members m where m.user_id = ${user} and m.namespace_id is null
    and m.project_id is not null and m.access_level >= ${least} and ${inForce('m', now)}`;
}

/**
 * The ids of all projects in which a user has at least a role, with duplicates. Uses joins rather than lookups in sets,
 * so that reading the first few is cheap.
 */
export function memberProjectIds(user: NumberOrParameter, least: NumberOrParameter, now: NumberOrParameter) {
  return sql<number>`
    select project_id as id from (${projectIdsWithDirectRole(user, least, now)}) as direct
    union all
    select p.id from members m
      join namespace_ancestors a on a.ancestor_id = m.namespace_id
      join projects p on p.namespace_id = a.namespace_id
      where ${isMember(user, least, now)}
    union all
    select p.id from members m
      join namespace_ancestors g on g.ancestor_id = m.namespace_id
      join group_shares s on s.with_namespace_id = g.namespace_id
      join namespace_ancestors a on a.ancestor_id = s.namespace_id
      join projects p on p.namespace_id = a.namespace_id
      where ${isMember(user, least, now)} and ${isInvited(least, now)}`;
}

/** Restricts a query on `projects` to those in which the user has at least a role. */
export function memberProjects(
  eb: ProjectsBuilder,
  user: NumberOrParameter,
  least: NumberOrParameter = Role.guest,
  now: NumberOrParameter = Date.now(),
): Expression<SqlBool> {
  return eb.or([
    eb('projects.id', 'in', sql<number>`(${projectIdsWithDirectRole(user, least, now)})`),
    eb('projects.namespace_id', 'in', sql<number>`(${memberNamespaceIds(user, least, now)})`),
  ]);
}

/**
 * Like `memberProjects`, for projects found by other conditions: roles are looked up per project instead of collecting
 * all of the user's roles to check a few projects.
 */
export function hasProjectRole(
  user: NumberOrParameter,
  least: NumberOrParameter = Role.guest,
  now: NumberOrParameter = Date.now(),
  projects: 'projects' | 'p' = 'projects',
): Expression<SqlBool> {
  const id = sql.ref(`${projects}.id`);
  return sql<SqlBool>`(exists (
      select 1 from members m
      where m.project_id = ${id} and m.user_id = ${user} and m.access_level >= ${least} and ${inForce('m', now)})
    or ${id} in (${projectsLent(user, least, now)})
    or ${sql.ref(`${projects}.namespace_id`)} in (${memberNamespaceIds(user, least, now)}))`;
}

/** The lowest visibility level that the actor can see without a role. */
export function lowestVisibilityWithoutRole(actor: Actor): number {
  return actor.user && actor.user.external !== 1 ? Visibility.internal : Visibility.public;
}

/**
 * The part of an actor that decides what they can see: the visibility they see without a role, and the user with roles.
 */
export interface Viewer<N extends NumberOrParameter = number> {
  readonly sees: 'all' | 'internal' | 'public';
  readonly user?: N | undefined;
  readonly now: N;
}

export function viewerOf(actor: Actor): Viewer {
  const sees = canReadEverything(actor)
    ? 'all'
    : lowestVisibilityWithoutRole(actor) === Visibility.public
      ? 'public'
      : 'internal';
  return { sees, user: actor.user?.id, now: Date.now() };
}

/** Restricts a query on `projects` to those the viewer can see. */
export function visibleProjects(
  eb: ProjectsBuilder,
  { sees, user, now }: Viewer<NumberOrParameter>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = eb('projects.visibility', '>=', Visibility[sees]);
  return user === undefined ? open : eb.or([open, hasProjectRole(user, Role.guest, now)]);
}

/** Restricts a query on `namespaces` to groups in which the user has at least a role. */
export function memberGroups(
  eb: NamespacesBuilder,
  user: NumberOrParameter,
  least: NumberOrParameter = Role.minimal,
  now: NumberOrParameter = Date.now(),
): Expression<SqlBool> {
  return eb('namespaces.id', 'in', sql<number>`(${memberNamespaceIds(user, least, now)})`);
}

/**
 * Joins `m`, any membership of the user in a group, with `s`, any invitation of that group or a descendant elsewhere.
 */
const lent = (shares: string, user: NumberOrParameter, now: NumberOrParameter) => sql`members m
  join namespace_ancestors g on g.ancestor_id = m.namespace_id
  join ${sql.table(shares)} s on s.with_namespace_id = g.namespace_id and ${inForce('s', now)}
    and m.user_id = ${user} and m.namespace_id is not null and ${inForce('m', now)}`;

/** Groups around places where a user has an expiring role, or a role through an invited group; for `in`. */
function aroundOtherRoles(user: NumberOrParameter, now: NumberOrParameter) {
  return sql<number>`
    select a.ancestor_id as id from members m left join projects p on p.id = m.project_id
      join namespace_ancestors a on a.namespace_id = coalesce(m.namespace_id, p.namespace_id)
      where m.user_id = ${user} and m.expires_at is not null and m.expires_at > ${now}
    union all
    select a.ancestor_id from ${lent('group_shares', user, now)}
      join namespace_ancestors a on a.namespace_id = s.namespace_id
    union all
    select a.ancestor_id from ${lent('project_shares', user, now)}
      join projects p on p.id = s.project_id
      join namespace_ancestors a on a.namespace_id = p.namespace_id
      where m.access_level >= ${sql.lit(Role.guest)}`;
}

/** Restricts a query on `namespaces` to those in which, or inside which, a user has a role. */
export function hasRoleInOrBelow(user: NumberOrParameter, now: NumberOrParameter): Expression<SqlBool> {
  return sql<SqlBool>`(exists (
      select 1 from derived_groups_around d where d.user_id = ${user} and d.namespace_id = namespaces.id)
    or namespaces.id in (${aroundOtherRoles(user, now)}))`;
}

/** The ids of the groups in which a user has a role, and of the groups around such places, with duplicates. */
export function relatedGroupIds(user: NumberOrParameter, now: NumberOrParameter) {
  return sql<{ id: number }>`
    select d.namespace_id as id from derived_groups_around d where d.user_id = ${user}
    union all ${aroundOtherRoles(user, now)}
    union all ${memberNamespaceIds(user, Role.minimal, now)}`;
}

/**
 * Restricts a query on `namespaces` to groups in which a user has a role, and groups around such places. Evaluated per
 * group: efficient for few groups, however many roles the user has.
 */
export function relatedGroups(user: NumberOrParameter, now: NumberOrParameter): Expression<SqlBool> {
  return sql<SqlBool>`(${hasRoleInOrBelow(user, now)}
    or exists (
      select 1 from namespace_ancestors a cross join members m
      where a.namespace_id = namespaces.id and m.namespace_id = a.ancestor_id and m.user_id = ${user}
        and ${inForce('m', now)})
    or namespaces.id in (
      select a.namespace_id from ${lent('group_shares', user, now)}
        join namespace_ancestors a on a.ancestor_id = s.namespace_id))`;
}

/** Restricts a query on `namespaces` to groups the viewer can see: by visibility, by a role, or by a role inside. */
export function visibleGroups(
  eb: NamespacesBuilder,
  { sees, user, now }: Viewer<NumberOrParameter>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = isGroupVisibleWithoutRole(eb, { sees, now });
  return user === undefined ? open : eb.or([open, relatedGroups(user, now)]);
}

/** Groups that a viewer can see without a role. */
export function isGroupVisibleWithoutRole(
  eb: NamespacesBuilder,
  { sees }: Viewer<NumberOrParameter>,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  // `=` if it is equivalent: an index then returns the groups in the order of their names.
  return eb('namespaces.visibility', sees === 'public' ? '=' : '>=', Visibility[sees]);
}

/** The visibility levels of those groups. */
export const levelsVisibleWithoutRole = ({ sees }: Viewer): readonly number[] =>
  Object.values(Visibility).filter((level) => sees === 'all' || level >= Visibility[sees]);
