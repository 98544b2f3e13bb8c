import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { type Actor, seesAll } from '../actor.ts';
import { Role, Visibility } from '../roles.ts';

type ProjectsBuilder = ExpressionBuilder<Tables, 'projects'>;
type NamespacesBuilder = ExpressionBuilder<Tables, 'namespaces'>;
/** A number, or what stands for it in a prepared statement. */
export type Value = number | Expression<number>;

/** Rows of `members` or shares that are still in force. */
const inForce = (table: string, now: Value) =>
  sql<SqlBool>`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

/** `m` is a membership of the user in a group, at least at a level. */
const isMember = (user: Value, least: Value, now: Value) =>
  sql`m.user_id = ${user} and m.namespace_id is not null and m.access_level >= ${least} and ${inForce('m', now)}`;

/** `s` is an invitation of that group elsewhere, at least at the level too: of both the lower counts. */
const isInvited = (least: Value, now: Value) => sql`s.access_level >= ${least} and ${inForce('s', now)}`;

/**
 * Namespaces in which a user holds at least a level: by membership there or above, or through an invited group. For
 * `in`: one may come twice, since taking doubles out costs as much as finding them.
 */
export function namespacesOf(user: Value, least: Value, now: Value = Date.now()) {
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

/** Projects in which a user holds at least a level in any way but through their namespace; for `in`. */
export function projectsDirectly(user: Value, least: Value, now: Value) {
  return sql<number>`
    select m.project_id from members m
      where m.user_id = ${user} and m.project_id is not null and m.access_level >= ${least} and ${inForce('m', now)}
    union all
    select s.project_id from members m
      join namespace_ancestors g on g.ancestor_id = m.namespace_id
      join project_shares s on s.with_namespace_id = g.namespace_id
      where ${isMember(user, least, now)} and ${isInvited(least, now)}`;
}

/**
 * The numbers of all projects in which a user holds at least a level, some of them twice. Joined rather than looked up
 * in sets, so that reading the first few costs no more than that.
 */
export function memberProjectIds(user: Value, least: Value, now: Value) {
  return sql<number>`
    select project_id as id from (${projectsDirectly(user, least, now)}) as direct
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

/** Restricts a query on `projects` to those in which the user holds at least a level. */
export function memberProjects(
  eb: ProjectsBuilder,
  user: Value,
  least: Value = Role.guest,
  now: Value = Date.now(),
): Expression<SqlBool> {
  return eb.or([
    eb('projects.id', 'in', sql<number>`(${projectsDirectly(user, least, now)})`),
    eb('projects.namespace_id', 'in', sql<number>`(${namespacesOf(user, least, now)})`),
  ]);
}

/** The widest visibility level below which an actor needs a role. */
export function openVisibility(actor: Actor): number {
  return actor.user && actor.user.external !== 1 ? Visibility.internal : Visibility.public;
}

/** What of an actor decides what they may know of: `sees` without a role, and the user whose roles count besides. */
export interface Viewer<N extends Value = number> {
  readonly sees: 'all' | 'internal' | 'public';
  readonly user?: N | undefined;
  readonly now: N;
}

export function viewerOf(actor: Actor): Viewer {
  const sees = seesAll(actor) ? 'all' : openVisibility(actor) === Visibility.public ? 'public' : 'internal';
  return { sees, user: actor.user?.id, now: Date.now() };
}

/** Restricts a query on `projects` to those the viewer may know of. */
export function visibleProjects(eb: ProjectsBuilder, { sees, user, now }: Viewer<Value>): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = eb('projects.visibility', '>=', Visibility[sees]);
  return user === undefined ? open : eb.or([open, memberProjects(eb, user, Role.guest, now)]);
}

/** Restricts a query on `namespaces` to groups in which the user holds at least a level. */
export function memberGroups(
  eb: NamespacesBuilder,
  user: Value,
  least: Value = Role.minimal,
  now: Value = Date.now(),
): Expression<SqlBool> {
  return eb('namespaces.id', 'in', sql<number>`(${namespacesOf(user, least, now)})`);
}

/** Where a user holds a role by name: groups they are in or are invited to, and the namespaces of their projects. */
export function homesOf(user: Value, now: Value) {
  return sql<number>`
    select m.namespace_id from members m
      where m.user_id = ${user} and m.namespace_id is not null and ${inForce('m', now)}
    union
    select s.namespace_id from members m
      join namespace_ancestors g on g.ancestor_id = m.namespace_id
      join group_shares s on s.with_namespace_id = g.namespace_id
      where m.user_id = ${user} and m.namespace_id is not null and ${inForce('m', now)} and ${inForce('s', now)}
    union
    select p.namespace_id from projects p where p.id in (${projectsDirectly(user, Role.guest, now)})`;
}

/**
 * The numbers of the groups in which a user holds a role, and of those around such places, each once. From many places
 * one climbs to few groups, so that the way up from each group is gone but once.
 */
export function relatedGroupIds(user: Value, now: Value) {
  return sql<{ id: number }>`
    with recursive above (id) as (
      ${homesOf(user, now)}
      union
      select n.parent_id from above join namespaces n on n.id = above.id where n.parent_id is not null
    )
    select above.id from above
    union
    select below.namespace_id from (${namespacesOf(user, Role.minimal, now)}) as below`;
}

/** Restricts a query on `namespaces` to groups in which a user holds a role, and those around such places. */
export function relatedGroups(user: Value, now: Value): Expression<SqlBool> {
  // One list of numbers, so that the engine starts from the user's few groups and not from all there are.
  return sql<SqlBool>`namespaces.id in (${relatedGroupIds(user, now)})`;
}

/** Restricts a query on `namespaces` to groups the viewer may know of: by visibility, role, or a role inside. */
export function visibleGroups(eb: NamespacesBuilder, { sees, user, now }: Viewer<Value>): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = openGroups(eb, { sees, now });
  return user === undefined ? open : eb.or([open, relatedGroups(user, now)]);
}

/** The groups that a viewer knows of without a role. */
export function openGroups(eb: NamespacesBuilder, { sees }: Viewer<Value>): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  // `=` where it means the same: an index then gives the groups in the order of their names.
  return eb('namespaces.visibility', sees === 'public' ? '=' : '>=', Visibility[sees]);
}
