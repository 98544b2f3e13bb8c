import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { Page } from '../../platform/http/pagination.ts';
import { dayOrNull } from '../../platform/http/schema.ts';

const sixMonths = 182 * 86_400_000;

const activities = shapedList(form<{ from: number }>()({ values: ['from'] }), (db, { from }) =>
  db
    .selectFrom('users')
    .select(['username', 'last_activity_at'])
    .where('last_activity_at', '>=', from)
    .orderBy('last_activity_at')
    .orderBy('id'),
);

/** When people were last here, since an instant; who was away longest comes first. */
export async function listActivities(db: Database, from: number | undefined, slice: Slice) {
  const { rows, total } = await activities.page(db.read, { from: from ?? Date.now() - sixMonths }, slice);
  return new Page(rows, total).map(({ username, last_activity_at }) => {
    const on = dayOrNull(last_activity_at);
    return { username, last_activity_on: on, last_activity_at: on };
  });
}

interface MembershipQuestion {
  readonly user: number;
  readonly type?: 'Project' | 'Namespace' | undefined;
}

const memberships = shapedList(form<MembershipQuestion>()({ values: ['user'] }), (db, { user, type }) => {
  const query = db
    .selectFrom('members')
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select([
      'members.access_level',
      'members.project_id',
      'members.namespace_id',
      sql<string>`coalesce(projects.name, namespaces.name)`.as('source_name'),
    ])
    .where('members.user_id', '=', user)
    .orderBy('members.id');
  if (!type) return query;
  return query.where(type === 'Project' ? 'members.project_id' : 'members.namespace_id', 'is not', null);
});

/** The groups and projects in which a user is a member themselves. */
export async function listMemberships(
  db: Database,
  user: number,
  type: 'Project' | 'Namespace' | undefined,
  slice: Slice,
) {
  const { rows, total } = await memberships.page(db.read, { user, type }, slice);
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
