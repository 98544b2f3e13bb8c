import type { Reader } from '../../platform/database/database.ts';

/** The milestone of a group that has a number. */
export async function milestoneNumbered(db: Reader, groupId: number, iid: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('milestones')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  return row?.id;
}
