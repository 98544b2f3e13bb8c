import type { Reader } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { param } from '../../../platform/http/params.ts';
import { compare } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';

const activities = list({
  id: 'users.id',
  scope: boundProperties<Record<never, never>>()({}),
  filters: { from: compare('users.last_activity_at', '>=', param.integer()) },
  orders: { last_activity_at: byColumn('users.last_activity_at', 'integer') },
  isWide: () => true,
  select: (db) => db.selectFrom('users').select(['users.username', 'users.last_activity_at']),
});

/** Lists the last activity of users since an instant, oldest first. */
export function activitiesSince(db: Reader, from: number, slice: Slice) {
  return activities.page(db, {}, { from }, { by: 'last_activity_at', direction: 'asc' }, slice);
}
