import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { ViewedFileRow } from './tables.ts';

type Mark = Pick<ViewedFileRow, 'user_id' | 'merge_request_id' | 'version'>;

/** File versions of a merge request that a user has viewed, most recent first. */
export function listViewed(
  db: Reader,
  { user_id, merge_request_id }: Omit<Mark, 'version'>,
  slice: Slice,
): Promise<{ rows: ViewedFileRow[]; total: number }> {
  const rows = db
    .selectFrom('viewed_files')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('merge_request_id', '=', merge_request_id);
  return fetchPage(db, rows.orderBy('id', 'desc'), slice);
}

/** Ignores duplicates, which two browser tabs can cause. */
export async function insertViewed(trx: Writer, mark: Mark, viewed_at: number): Promise<void> {
  await trx
    .insertInto('viewed_files')
    .values({ ...mark, viewed_at })
    .onConflict((conflict) => conflict.columns(['user_id', 'merge_request_id', 'version']).doNothing())
    .execute();
}

export async function deleteViewed(trx: Writer, { user_id, merge_request_id, version }: Mark): Promise<void> {
  await trx
    .deleteFrom('viewed_files')
    .where('user_id', '=', user_id)
    .where('merge_request_id', '=', merge_request_id)
    .where('version', '=', version)
    .execute();
}
