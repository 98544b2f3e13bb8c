import type { Namespace, Project } from '../../access/tables.ts';
import { memberGroups, memberProjects } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';

/** Returns the groups in which a user has at least this role. */
export function groupsOf(db: Reader, user: number, least: number, slice: Slice): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where((eb) => memberGroups(eb, user, least))
    .orderBy('namespaces.id')
    .limit(slice.perPage)
    .offset(slice.offset)
    .execute();
}

/** Returns the projects in which a user has at least this role. */
export function projectsOf(db: Reader, user: number, least: number, slice: Slice): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where((eb) => memberProjects(eb, user, least))
    .orderBy('projects.id')
    .limit(slice.perPage)
    .offset(slice.offset)
    .execute();
}
