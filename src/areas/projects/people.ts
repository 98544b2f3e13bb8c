import { sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { visibleGroups } from '../../access/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { presentPublicGroup } from '../groups/present.ts';
import type { PublicGroupEntity } from '../groups/schema.ts';
import { basicColumns, presentBasicUser } from '../users/present.ts';
import type { BasicUserEntity } from '../users/schema.ts';

const inForce = (table: string, now: number) =>
  sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

/** Everyone with a role in a project: of its own, of the groups above, or through an invited group. */
function memberIds({ project }: ProjectSubject) {
  const now = Date.now();
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id}`;
  return sql`
    select m.user_id from members m where m.project_id = ${project.id} and ${inForce('m', now)}
    union
    select m.user_id from members m where m.namespace_id in (${above}) and ${inForce('m', now)}
    union
    select m.user_id from project_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.project_id = ${project.id} and ${inForce('s', now)} and ${inForce('m', now)}
    union
    select m.user_id from group_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.namespace_id in (${above}) and ${inForce('s', now)} and ${inForce('m', now)}`;
}

/** The people of a project, inherited ones included. */
export async function listUsers(
  { db, externalUrl }: Services,
  subject: ProjectSubject,
  { search, skip_users }: { search?: string | undefined; skip_users?: readonly number[] | undefined },
  slice: PageRequest,
): Promise<Page<BasicUserEntity>> {
  let query = db.read
    .selectFrom('users')
    .select(basicColumns)
    .where(sql<boolean>`users.id in (${memberIds(subject)})`);
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]),
    );
  }
  if (skip_users && skip_users.length > 0) query = query.where('users.id', 'not in', [...skip_users]);
  const { rows, total } = await fetchPage(db.read, query.orderBy('users.id'), slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}

export interface GroupsOptions {
  readonly search?: string | undefined;
  readonly skip_groups?: readonly number[] | undefined;
  readonly with_shared: boolean;
  readonly shared_visible_only: boolean;
  readonly shared_min_access_level?: number | undefined;
}

/** The groups around a project and, where asked for, those it was shared with. */
export async function listGroups(
  { db, externalUrl }: Services,
  actor: Actor,
  { project }: ProjectSubject,
  options: GroupsOptions,
  slice: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const above = sql<number>`select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id}`;
  const shared = sql<number>`select with_namespace_id from project_shares s
    where s.project_id = ${project.id} and s.access_level >= ${options.shared_min_access_level ?? 0}
    and ${inForce('s', Date.now())}`;
  let query = db.read
    .selectFrom('namespaces')
    .selectAll('namespaces')
    .where('namespaces.kind', '=', 'group')
    .where((eb) => {
      const around = sql<boolean>`namespaces.id in (${above})`;
      if (!options.with_shared) return around;
      const lent = sql<boolean>`namespaces.id in (${shared})`;
      return eb.or([around, options.shared_visible_only ? eb.and([lent, visibleGroups(eb, actor)]) : lent]);
    });
  const { search, skip_groups } = options;
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  if (skip_groups && skip_groups.length > 0) query = query.where('namespaces.id', 'not in', [...skip_groups]);
  const { rows, total } = await fetchPage(db.read, query.orderBy('namespaces.id'), slice);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
