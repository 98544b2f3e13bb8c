import type { Writer } from '../../../platform/database/database.ts';
import type { SettingsRow } from '../tables.ts';

export async function putSettings(trx: Writer, row: SettingsRow): Promise<void> {
  const { group_id: _, created_at: __, ...changed } = row;
  await trx
    .insertInto('dependency_proxy_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet(changed))
    .execute();
}
