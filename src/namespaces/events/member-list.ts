import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

/** A project of a member with the time of its latest event. */
interface RecentProject {
  readonly id: number;
  readonly newest: number;
}

/** Above this number of projects the events are not narrowed by project. */
const maxProjects = 5000;

const projectsOfMember = statement((db, value: Param<{ user: number; now: number }>) =>
  db
    .selectFrom(
      sql<{
        id: number;
      }>`(select distinct id from (${memberProjectIds(value('user'), Role.guest, value('now'))}) as every)`.as('mine'),
    )
    .select([
      'mine.id',
      sql<number | null>`(select max(e.created_at) from events e where e.project_id = mine.id)`.as('newest'),
    ])
    .limit(maxProjects + 1),
);

/** Returns the projects of a member that have events, most recent first, or undefined if there are too many. */
export async function projectsWithEvents(db: Reader, user: number, now: number): Promise<RecentProject[] | undefined> {
  const found = await projectsOfMember.all(db, { user, now });
  if (found.length > maxProjects) return undefined;
  return found
    .flatMap(({ id, newest }) => (newest === null ? [] : [{ id, newest: Number(newest) }]))
    .sort((one, other) => other.newest - one.newest);
}

/**
 * Narrows a page of the newest events to the projects that can contribute to it: each of the first `offset + perPage`
 * projects has at least one event as new as `since`, so nothing older can be on the page. Returns undefined if there
 * are not enough projects.
 */
export function narrowToNewest(
  projects: readonly RecentProject[],
  { offset, perPage }: Slice,
): { readonly among: readonly number[]; readonly since: number } | undefined {
  const since = projects[offset + perPage]?.newest;
  if (since === undefined) return undefined;
  return { among: projects.filter(({ newest }) => newest >= since).map(({ id }) => id), since };
}
