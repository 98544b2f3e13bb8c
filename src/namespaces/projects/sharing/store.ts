import { type Insertable, type SqlBool, sql } from 'kysely';
import type { ProjectSharesTable } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { hasRoleOf } from '../../member-roles/public.ts';

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

/** Ends the custom roles that groups above a moved project, or group of projects, lent to invited groups. */
export async function endRolesOf(
  trx: Writer,
  lost: readonly number[],
  moved: { readonly project: number } | { readonly group: number },
): Promise<void> {
  if (lost.length === 0) return;
  const projects =
    'project' in moved
      ? sql`${moved.project}`
      : sql`select p.id from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
          where a.ancestor_id = ${moved.group}`;
  await trx
    .updateTable('project_shares')
    .set({ member_role_id: null })
    .where(sql<SqlBool>`project_id in (${projects})`)
    .where(hasRoleOf(lost))
    .execute();
}

export async function deleteShare(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('project_shares').where('id', '=', id).execute();
}

/** Deletes expired shares. */
export async function deleteExpiredShares(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('project_shares').where('expires_at', '<=', now).execute();
}
