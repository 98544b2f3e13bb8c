import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import { subjectsOf } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { Page } from '../../platform/http/pagination.ts';
import { presentReleasesOf } from './present.ts';
import type { ReleaseEntity } from './schema.ts';
import type { ReleaseRow } from './tables.ts';

type SimpleRelease = Pick<
  ReleaseEntity,
  'name' | 'tag_name' | 'description' | 'created_at' | 'released_at' | 'upcoming_release'
>;

/** The releases of a group's own projects, by the day they came out. */
export async function listGroupReleases(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  { sort, simple }: { readonly sort: 'asc' | 'desc'; readonly simple: boolean },
  slice: Slice,
): Promise<Page<ReleaseEntity | SimpleRelease>> {
  const db = services.db.read;
  const { rows, total } = await findReleases(db, group.id, sort, slice);
  const subjects = await subjectsById(db, actor, [...new Set(rows.map((row) => row.project_id))]);
  const subjectOf = (row: ReleaseRow) => subjects.get(row.project_id) as ProjectSubject;
  const releases = await presentReleasesOf(services, subjectOf, rows);
  return new Page<ReleaseEntity | SimpleRelease>(simple ? releases.map(inFewWords) : releases, total);
}

function findReleases(db: Reader, groupId: number, sort: 'asc' | 'desc', slice: Slice) {
  const query = db
    .selectFrom('releases as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('r')
    .where('p.namespace_id', '=', groupId)
    // Whoever has a role in the group has it in its projects: only what is switched off is kept from them.
    .where('p.settings', 'not like', '%"releases_access_level":"disabled"%');
  return fetchPage(db, query.orderBy('r.released_at', sort).orderBy('r.id', sort), slice);
}

async function subjectsById(db: Reader, actor: Actor, ids: readonly number[]): Promise<Map<number, ProjectSubject>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('projects').selectAll().where('id', 'in', ids).execute();
  const subjects = await subjectsOf(db, actor, rows);
  return new Map(subjects.map((subject) => [subject.project.id, subject]));
}

function inFewWords(release: ReleaseEntity): SimpleRelease {
  const { name, tag_name, description, created_at, released_at, upcoming_release } = release;
  return { name, tag_name, description, created_at, released_at, upcoming_release };
}
