import { sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { form } from '../../../platform/database/form.ts';
import { shapedList } from '../../../platform/database/shaped.ts';

interface MembershipFilter {
  readonly user: number;
  readonly type?: 'Project' | 'Namespace' | undefined;
}

/** The memberships of a user in groups and projects themselves. */
export const memberships = shapedList(form<MembershipFilter>()({ values: ['user'] }), (db, { user, type }) => {
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

export function countMemberships(db: Reader, user: number) {
  return db
    .selectFrom('members')
    .select((eb) => [
      eb.fn.count<number>('namespace_id').as('groups'),
      eb.fn.count<number>('project_id').as('projects'),
    ])
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow();
}
