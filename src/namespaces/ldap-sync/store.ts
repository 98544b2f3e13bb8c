import type { Reader, Writer } from '../../platform/database/database.ts';
import type { LdapGroupSyncRow } from './tables.ts';

export function syncOf(db: Reader, groupId: number): Promise<LdapGroupSyncRow | undefined> {
  return db.selectFrom('ldap_group_syncs').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

const blank = { error: null, last_sync_at: null, last_update_at: null, last_successful_update_at: null };

export async function putSync(
  trx: Writer,
  groupId: number,
  change: Pick<LdapGroupSyncRow, 'status'> & Partial<Omit<LdapGroupSyncRow, 'namespace_id'>>,
): Promise<void> {
  await trx
    .insertInto('ldap_group_syncs')
    .values({ ...blank, namespace_id: groupId, ...change })
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet(change))
    .execute();
}
