import type { Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

/** When users were last here, since an instant; who was away longest comes first. */
export function activitiesSince(db: Reader, from: number, slice: Slice) {
  const query = db
    .selectFrom('users')
    .select(['username', 'last_activity_at'])
    .where('last_activity_at', '>=', from)
    .orderBy('last_activity_at')
    .orderBy('id');
  return fetchPage(db, query, slice);
}
