import type { Insertable } from 'kysely';
import type { ProjectSharesTable } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** The sharing of a project with a group, unless its time is up. */
export function findShare(db: Reader, projectId: number, groupId: number): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('project_shares')
    .select('id')
    .where('project_id', '=', projectId)
    .where('with_namespace_id', '=', groupId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
    .executeTakeFirst();
}

/** Shares a project with a group; gives the number of the share. */
export async function insertShare(
  trx: Writer,
  share: Omit<Insertable<ProjectSharesTable>, 'id' | 'created_at'>,
): Promise<number> {
  const now = Date.now();
  // One that has run out is gone to everyone who looks: it must not stand in the way of a new one.
  await trx
    .deleteFrom('project_shares')
    .where('project_id', '=', share.project_id)
    .where('with_namespace_id', '=', share.with_namespace_id)
    .where('expires_at', '<=', now)
    .execute();
  const { id } = await trx
    .insertInto('project_shares')
    .values({ ...share, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function deleteShare(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('project_shares').where('id', '=', id).execute();
}

/** Deletes the shares whose time is up. */
export async function deleteExpiredShares(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('project_shares').where('expires_at', '<=', now).execute();
}
