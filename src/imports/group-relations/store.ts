import type { Reader } from '../../platform/database/database.ts';

/** Finds a milestone of a group by number. */
export async function milestoneNumbered(db: Reader, groupId: number, iid: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('milestones')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  return row?.id;
}
