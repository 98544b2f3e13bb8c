import { type Insertable, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../../access/actor.ts';
import type { GroupSharesTable, Namespace } from '../../../access/tables.ts';
import { type Viewer, viewerOf, visibleGroups } from '../../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { shapedQuery } from '../../../platform/database/shaped.ts';
import { hasRoleOf } from '../../member-roles/public.ts';

/** Inserts a share, replacing an expired one. */
export async function insertShare(trx: Writer, row: Insertable<GroupSharesTable>): Promise<void> {
  await trx
    .deleteFrom('group_shares')
    .where('namespace_id', '=', row.namespace_id)
    .where('with_namespace_id', '=', row.with_namespace_id)
    .where('expires_at', '<=', row.created_at)
    .execute();
  await trx.insertInto('group_shares').values(row).execute();
}

/** Ends the custom roles that groups above a moved group lent to the groups invited inside it. */
export async function endRolesOf(trx: Writer, lost: readonly number[], groupId: number): Promise<void> {
  if (lost.length === 0) return;
  await trx
    .updateTable('group_shares')
    .set({ member_role_id: null })
    .where(sql<SqlBool>`namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`)
    .where(hasRoleOf(lost))
    .execute();
}

/** Returns the id of a share that has not expired. */
export async function findShare(db: Reader, groupId: number, invitedId: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('group_shares')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('with_namespace_id', '=', invitedId)
    .where(sql<boolean>`(expires_at is null or expires_at > ${Date.now()})`)
    .executeTakeFirst();
  return found?.id;
}

export async function deleteShare(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('group_shares').where('id', '=', id).execute();
}

export async function deleteExpiredShares(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('group_shares').where('expires_at', '<=', now).execute();
}

/** Returns the top-level group among a group and its ancestors. */
export async function topAmong(
  db: Reader,
  ids: readonly number[],
): Promise<Pick<Namespace, 'id' | 'settings'> | undefined> {
  return db
    .selectFrom('namespaces')
    .select(['id', 'settings'])
    .where('parent_id', 'is', null)
    .where('id', 'in', ids)
    .executeTakeFirst();
}

const invited = shapedQuery(
  boundProperties<Viewer & { id: number }>()({ values: ['id', 'user', 'now'] }),
  (db, filter) =>
    db
      .selectFrom('namespaces')
      .innerJoin('group_shares as s', 's.with_namespace_id', 'namespaces.id')
      .select([
        'namespaces.id',
        'namespaces.name',
        'namespaces.full_path',
        's.access_level',
        's.member_role_id',
        's.expires_at',
      ])
      .where('s.namespace_id', '=', filter.id)
      .where((eb) => eb.or([eb('s.expires_at', 'is', null), eb('s.expires_at', '>', filter.now)]))
      .where((eb) => visibleGroups(eb, filter))
      .orderBy('s.id'),
);

/** Returns the invited groups that the caller may see. */
export function invitedTo(db: Reader, caller: Actor, id: number) {
  return invited.all(db, { id, ...viewerOf(caller) });
}
