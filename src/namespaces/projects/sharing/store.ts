import type { Insertable } from 'kysely';
import type { ProjectSharesTable } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** Returns a share that has not expired. */
export function findShare(db: Reader, projectId: number, groupId: number): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('project_shares')
    .select('id')
    .where('project_id', '=', projectId)
    .where('with_namespace_id', '=', groupId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
    .executeTakeFirst();
}

/** Inserts a share and returns its id. */
export async function insertShare(
  trx: Writer,
  share: Omit<Insertable<ProjectSharesTable>, 'id' | 'created_at'>,
): Promise<number> {
  const now = Date.now();
  // An expired share is already ignored and must not block a new one.
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

/** Deletes expired shares. */
export async function deleteExpiredShares(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('project_shares').where('expires_at', '<=', now).execute();
}
