import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';

const counted = {
  forks: sql<number>`(select count(*) from projects where forked_from_id is not null)`,
  issues: sql<number>`(select count(*) from issues)`,
  merge_requests: sql<number>`(select count(*) from merge_requests)`,
  notes: sql<number>`(select count(*) from notes)`,
  snippets: sql<number>`(select count(*) from snippets)`,
  ssh_keys: sql<number>`(select count(*) from ssh_keys)`,
  milestones: sql<number>`(select count(*) from milestones)`,
  users: sql<number>`(select count(*) from users where kind <> 'ghost')`,
  groups: sql<number>`(select count(*) from namespaces where kind = 'group')`,
  projects: sql<number>`(select count(*) from projects)`,
  active_users: sql<number>`(select count(*) from users where state = 'active' and kind <> 'ghost')`,
};

/** Counts the records of each kind. */
export async function countEverything(db: Reader): Promise<Record<keyof typeof counted, number>> {
  const names = Object.keys(counted) as (keyof typeof counted)[];
  const row = await db.selectNoFrom(names.map((name) => counted[name].as(name))).executeTakeFirstOrThrow();
  return row as Record<keyof typeof counted, number>;
}
