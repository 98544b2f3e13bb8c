import type { Services } from '../../../access/services.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { countMemberships, membershipsOf } from './list.ts';

/** Lists the groups and projects of which a user is a direct member. */
export async function listMemberships(
  db: Database,
  user: number,
  type: 'Project' | 'Namespace' | undefined,
  slice: Slice,
) {
  const { rows, total } = await membershipsOf(db.read, { user, type }, slice);
  return new Page(rows, total).map((row) => ({
    source_id: row.project_id ?? row.namespace_id,
    source_name: row.source_name,
    source_type: row.project_id === null ? 'Namespace' : 'Project',
    access_level: row.access_level,
  }));
}

/** Counts the memberships of a user and records of other areas. */
export async function countAssociations(services: Services, user: number) {
  const { groups, projects } = await countMemberships(services.db.read, user);
  const counted = services.contributions('users.associations').map((count) => count(services, user));
  return {
    groups_count: Number(groups),
    projects_count: Number(projects),
    ...Object.assign({ issues_count: 0, merge_requests_count: 0 }, ...(await Promise.all(counted))),
  };
}
