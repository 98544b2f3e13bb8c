import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

/** A project of a member, and when something happened there last. */
interface Lately {
  readonly id: number;
  readonly newest: number;
}

/** Of members of more projects all events are read. */
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

/** The projects of a member in which something has happened, the latest first; undefined where they are too many. */
export async function livelyProjects(db: Reader, user: number, now: number): Promise<Lately[] | undefined> {
  const found = await projectsOfMember.all(db, { user, now });
  if (found.length > maxProjects) return undefined;
  return found
    .flatMap(({ id, newest }) => (newest === null ? [] : [{ id, newest: Number(newest) }]))
    .sort((one, other) => other.newest - one.newest);
}

/**
 * Where a page of the newest events can come from: as many projects as it takes events to fill it, each of which has one
 * that is as new as that, so that nothing older can be on it. Undefined where there are not so many.
 */
export function newestWithin(
  projects: readonly Lately[],
  { offset, perPage }: Slice,
): { readonly among: readonly number[]; readonly since: number } | undefined {
  const since = projects[offset + perPage]?.newest;
  if (since === undefined) return undefined;
  return { among: projects.filter(({ newest }) => newest >= since).map(({ id }) => id), since };
}
