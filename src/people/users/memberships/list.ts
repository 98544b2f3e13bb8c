import { sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

interface MembershipFilter {
  readonly user: number;
  readonly type?: 'Project' | 'Namespace' | undefined;
}

/** Lists the direct memberships of a user. */
export function membershipsOf(db: Reader, { user, type }: MembershipFilter, slice: Slice) {
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
  if (!type) return fetchPage(db, query, slice);
  const column = type === 'Project' ? 'members.project_id' : 'members.namespace_id';
  return fetchPage(db, query.where(column, 'is not', null), slice);
}

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
