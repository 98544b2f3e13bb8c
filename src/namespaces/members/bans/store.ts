import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { BanRow } from './tables.ts';

/** Lists the bans of a group, latest first. */
export function listBans(db: Reader, group: number, slice: Slice) {
  const query = db
    .selectFrom('namespace_bans')
    .select(['user_id', 'created_at'])
    .where('namespace_id', '=', group)
    .orderBy('created_at', 'desc')
    .orderBy('user_id', 'desc');
  return fetchPage(db, query, slice);
}

/** Whether a user is banned from a namespace or one of its ancestors. */
export async function isBanned(db: Reader, namespaceId: number, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_bans as b')
    .innerJoin('namespace_ancestors as a', 'a.ancestor_id', 'b.namespace_id')
    .select('b.user_id')
    .where('a.namespace_id', '=', namespaceId)
    .where('b.user_id', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}

export async function insertBan(trx: Writer, row: BanRow): Promise<void> {
  await trx.insertInto('namespace_bans').values(row).execute();
}

/** Deletes a ban and returns it, if there was one. */
export function deleteBan(trx: Writer, group: number, userId: number): Promise<BanRow | undefined> {
  return trx
    .deleteFrom('namespace_bans')
    .where('namespace_id', '=', group)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/** Whether the project or group of a membership still exists inside the group. */
export async function isInside(
  db: Reader,
  group: number,
  { namespace_id, project_id }: { readonly namespace_id: number | null; readonly project_id: number | null },
): Promise<boolean> {
  const project =
    project_id === null
      ? undefined
      : await db.selectFrom('projects').select('namespace_id').where('id', '=', project_id).executeTakeFirst();
  const namespace = namespace_id ?? project?.namespace_id;
  if (namespace === undefined) return false;
  const found = await db
    .selectFrom('namespace_ancestors')
    .select('namespace_id')
    .where('namespace_id', '=', namespace)
    .where('ancestor_id', '=', group)
    .executeTakeFirst();
  return found !== undefined;
}
