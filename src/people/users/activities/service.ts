import type { Database } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { dayOrNull } from '../../../platform/http/schema.ts';
import { activitiesSince } from './list.ts';

const sixMonths = 182 * 86_400_000;

/** Lists the last activity of users, by default within six months. */
export async function listActivities(db: Database, from: number | undefined, slice: Slice) {
  const { rows, total } = await activitiesSince(db.read, from ?? Date.now() - sixMonths, slice);
  return new Page(rows, total).map(({ username, last_activity_at }) => {
    const on = dayOrNull(last_activity_at);
    return { username, last_activity_on: on, last_activity_at: on };
  });
}
