import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { Page } from '../../platform/http/pagination.ts';

const sixMonths = 182 * 86_400_000;

/** When people were last here, since an instant; who was away longest comes first. */
export async function listActivities(db: Database, from: number | undefined, slice: Slice) {
  const query = db.read
    .selectFrom('users')
    .select(['username', 'last_activity_at'])
    .where('last_activity_at', '>=', from ?? Date.now() - sixMonths)
    .orderBy('last_activity_at')
    .orderBy('id');
  const { rows, total } = await fetchPage(db.read, query, slice);
  return new Page(rows, total).map(({ username, last_activity_at }) => {
    const on = new Date(last_activity_at as number).toISOString().slice(0, 10);
    return { username, last_activity_on: on, last_activity_at: on };
  });
}

/** The groups and projects in which a user is a member themselves. */
export async function listMemberships(
  db: Database,
  user: number,
  type: 'Project' | 'Namespace' | undefined,
  slice: Slice,
) {
  let query = db.read
    .selectFrom('members')
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select([
      'members.access_level',
      'members.project_id',
      'members.namespace_id',
      sql<string>`coalesce(projects.name, namespaces.name)`.as('source_name'),
    ])
    .where('members.user_id', '=', user);
  if (type === 'Project') query = query.where('members.project_id', 'is not', null);
  if (type === 'Namespace') query = query.where('members.namespace_id', 'is not', null);
  const { rows, total } = await fetchPage(db.read, query.orderBy('members.id'), slice);
  return new Page(rows, total).map((row) => ({
    source_id: row.project_id ?? row.namespace_id,
    source_name: row.source_name,
    source_type: row.project_id === null ? 'Namespace' : 'Project',
    access_level: row.access_level,
  }));
}

/** How much is connected to a user. Issues and merge requests are counted once there are any. */
export async function countAssociations(db: Database, user: number) {
  const counted = await db.read
    .selectFrom('members')
    .select((eb) => [
      eb.fn.count<number>('namespace_id').as('groups_count'),
      eb.fn.count<number>('project_id').as('projects_count'),
    ])
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow();
  return {
    groups_count: Number(counted.groups_count),
    projects_count: Number(counted.projects_count),
    issues_count: 0,
    merge_requests_count: 0,
  };
}
