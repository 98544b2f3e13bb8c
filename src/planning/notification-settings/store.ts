import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
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

/** What these people chose for a project, for the groups around it, and for everywhere. */
export async function settingsOfUsers(
  db: Reader,
  userIds: readonly number[],
  { projectId, namespaceIds }: { readonly projectId: number; readonly namespaceIds: readonly number[] },
): Promise<NotificationSettingRow[]> {
  if (userIds.length === 0) return [];
  const ofUsers = db.selectFrom('notification_settings').selectAll().where('user_id', 'in', userIds);
  const [project, groups, everywhere] = await Promise.all([
    ofUsers.where('project_id', '=', projectId).execute(),
    namespaceIds.length === 0 ? [] : ofUsers.where('namespace_id', 'in', namespaceIds).execute(),
    ofUsers.where('project_id', 'is', null).where('namespace_id', 'is', null).execute(),
  ]);
  return [...project, ...groups, ...everywhere];
}

// So many are told of one thing at most.
const mostWatchers = 5000;

interface Around {
  readonly projectId: number;
  readonly namespaceIds: readonly number[];
}

const watchers = statement((db, param: Param<Around>) => {
  const listening = db
    .selectFrom('notification_settings as s')
    .select('s.user_id')
    .where('s.level', 'in', ['watch', 'custom']);
  return listening
    .where('s.project_id', '=', param('projectId'))
    .union(listening.where('s.namespace_id', 'in', param.ids('namespaceIds')))
    .union(
      listening
        .innerJoin('members as m', 'm.user_id', 's.user_id')
        .where('s.project_id', 'is', null)
        .where('s.namespace_id', 'is', null)
        .where((eb) =>
          eb.or([eb('m.project_id', '=', param('projectId')), eb('m.namespace_id', 'in', param.ids('namespaceIds'))]),
        ),
    )
    .limit(mostWatchers);
});

/** Who chose to hear of more than they take part in: for the project or its groups, or everywhere as a member. */
export async function watcherIds(db: Reader, around: Around): Promise<number[]> {
  return (await watchers.all(db, around)).map(({ user_id }) => user_id);
}
