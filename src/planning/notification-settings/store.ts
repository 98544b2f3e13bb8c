import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { NotificationSettingRow } from './tables.ts';

/** What a user chose for a project, a group or, where both are null, everywhere. */
export function findSetting(
  db: Reader,
  user: number,
  { project_id, namespace_id }: OwnerColumns,
): Promise<NotificationSettingRow | undefined> {
  return db
    .selectFrom('notification_settings')
    .selectAll()
    .where('user_id', '=', user)
    .where((eb) => (project_id === null ? eb('project_id', 'is', null) : eb('project_id', '=', project_id)))
    .where((eb) => (namespace_id === null ? eb('namespace_id', 'is', null) : eb('namespace_id', '=', namespace_id)))
    .executeTakeFirst();
}

export async function saveSetting(
  trx: Writer,
  row: Omit<NotificationSettingRow, 'id' | 'created_at'>,
): Promise<NotificationSettingRow> {
  const present = await findSetting(trx, row.user_id, row);
  if (present) {
    return trx
      .updateTable('notification_settings')
      .set(row)
      .where('id', '=', present.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }
  return trx
    .insertInto('notification_settings')
    .values({ ...row, created_at: row.updated_at })
    .returningAll()
    .executeTakeFirstOrThrow();
}
