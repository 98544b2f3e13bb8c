import { sql } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRows } from '../../../platform/database/locks.ts';

/** Inserts a star; false if there was one already. */
export async function insertStar(trx: Writer, userId: number, projectId: number): Promise<boolean> {
  const result = await trx
    .insertInto('stars')
    .values({ user_id: userId, project_id: projectId, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Deletes a star; false if there was none. */
export async function deleteStar(trx: Writer, userId: number, projectId: number): Promise<boolean> {
  const result = await trx
    .deleteFrom('stars')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Deletes all stars of a user and updates the counters of the projects. */
export async function deleteStarsOf(trx: Writer, userId: number): Promise<void> {
  const stars = await trx.deleteFrom('stars').where('user_id', '=', userId).returning('project_id').execute();
  const ids = stars.map((star) => star.project_id);
  await lockRows(trx, 'projects', ids);
  if (ids.length === 0) return;
  await trx.updateTable('projects').set({ star_count: sql<number>`star_count - 1` }).where('id', 'in', ids).execute();
}
