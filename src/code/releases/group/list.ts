import type { Project } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

/** A page of the releases of a group's own projects. */
export function listReleasesOfGroup(db: Reader, groupId: number, sort: 'asc' | 'desc', slice: Slice) {
  const query = db
    .selectFrom('releases as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('r')
    .where('p.namespace_id', '=', groupId)
    // Whoever has a role in the group has it in its projects: only what is switched off is kept from them.
    .where('p.settings', 'not like', '%"releases_access_level":"disabled"%');
  return fetchPage(db, query.orderBy('r.released_at', sort).orderBy('r.id', sort), slice);
}

export function projectsById(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return db.selectFrom('projects').selectAll().where('id', 'in', ids).execute();
}
