import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../../access/subjects.ts';
import { subjectsOf } from '../../../namespaces/projects/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { presentReleasesOf } from '../present.ts';
import type { ReleaseEntity } from '../schema.ts';
import type { ReleaseRow } from '../tables.ts';
import { listReleasesOfGroup, projectsById } from './list.ts';

type SimpleRelease = Pick<
  ReleaseEntity,
  'name' | 'tag_name' | 'description' | 'created_at' | 'released_at' | 'upcoming_release'
>;

/** Lists the releases of a group's own projects by release date. */
export async function listGroupReleases(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  { sort, simple }: { readonly sort: 'asc' | 'desc'; readonly simple: boolean },
  slice: Slice,
): Promise<Page<ReleaseEntity | SimpleRelease>> {
  const db = services.db.read;
  const { rows, total } = await listReleasesOfGroup(db, group.id, sort, slice);
  const subjects = await subjectsById(db, actor, [...new Set(rows.map((row) => row.project_id))]);
  const subjectOf = (row: ReleaseRow) => subjects.get(row.project_id) as ProjectSubject;
  const releases = await presentReleasesOf(services, subjectOf, rows);
  return new Page<ReleaseEntity | SimpleRelease>(simple ? releases.map(simplified) : releases, total);
}

async function subjectsById(db: Reader, actor: Actor, ids: readonly number[]): Promise<Map<number, ProjectSubject>> {
  if (ids.length === 0) return new Map();
  const rows = await projectsById(db, ids);
  const subjects = await subjectsOf(db, actor, rows);
  return new Map(subjects.map((subject) => [subject.project.id, subject]));
}

function simplified(release: ReleaseEntity): SimpleRelease {
  const { name, tag_name, description, created_at, released_at, upcoming_release } = release;
  return { name, tag_name, description, created_at, released_at, upcoming_release };
}
