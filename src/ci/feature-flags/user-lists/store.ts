import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { FeatureFlagUserListsTable, UserListRow } from '../tables.ts';

export function listNumbered(db: Reader, projectId: number, iid: number): Promise<UserListRow | undefined> {
  return db
    .selectFrom('feature_flag_user_lists')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

export function insertList(trx: Writer, row: Insertable<FeatureFlagUserListsTable>): Promise<UserListRow> {
  return trx.insertInto('feature_flag_user_lists').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateList(trx: Writer, id: number, change: Partial<UserListRow>): Promise<UserListRow> {
  return trx
    .updateTable('feature_flag_user_lists')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteList(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('feature_flag_user_lists').where('id', '=', id).execute();
}
