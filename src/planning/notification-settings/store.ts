import type { Expression, Kysely } from 'kysely';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { NotificationSettingRow } from './tables.ts';

/** The setting of a user for a project or group, or the global one if both are null. */
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

/** Settings of these users for a project, if any, its groups, and globally. */
export async function settingsOfUsers(
  db: Reader,
  userIds: readonly number[],
  { projectId, namespaceIds }: { readonly projectId: number | null; readonly namespaceIds: readonly number[] },
): Promise<NotificationSettingRow[]> {
  if (userIds.length === 0) return [];
  const ofUsers = db.selectFrom('notification_settings').selectAll().where('user_id', 'in', userIds);
  const [project, groups, everywhere] = await Promise.all([
    projectId === null ? [] : ofUsers.where('project_id', '=', projectId).execute(),
    namespaceIds.length === 0 ? [] : ofUsers.where('namespace_id', 'in', namespaceIds).execute(),
    ofUsers.where('project_id', 'is', null).where('namespace_id', 'is', null).execute(),
  ]);
  return [...project, ...groups, ...everywhere];
}

const ancestors = (db: Kysely<Tables>) => db.selectFrom('namespace_ancestors as a').select('a.ancestor_id');

const watching = (db: Kysely<Tables>) =>
  db.selectFrom('notification_settings as s').select('s.user_id').where('s.level', 'in', ['watch', 'custom']);

/** Users with global level `watch` or `custom` who are members of a group or, if given, of a project. */
function watchingEverywhere(db: Kysely<Tables>, around: ReturnType<typeof ancestors>, project?: Expression<number>) {
  return watching(db)
    .where('s.project_id', 'is', null)
    .where('s.namespace_id', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('members as m')
          .select('m.user_id')
          .whereRef('m.user_id', '=', 's.user_id')
          .where((or) =>
            or.or([...(project ? [or('m.project_id', '=', project)] : []), or('m.namespace_id', 'in', around)]),
          ),
      ),
    );
}

/**
 * Queries for the users who receive more than participation events of a project: by a setting for the project, for an
 * ancestor group, or globally as a member.
 */
export function waysToWatch(db: Kysely<Tables>, project: Expression<number>) {
  const home = db.selectFrom('projects as p').select('p.namespace_id').where('p.id', '=', project);
  const around = ancestors(db).where('a.namespace_id', '=', home);
  return [
    watching(db).where('s.project_id', '=', project),
    watching(db).where('s.namespace_id', 'in', around),
    watchingEverywhere(db, around, project),
  ] as const;
}

/** The same for a group: by a setting for the group, for an ancestor, or globally as a member of one of them. */
function waysToWatchGroup(db: Kysely<Tables>, group: Expression<number>) {
  const around = ancestors(db).where('a.namespace_id', '=', group);
  return [watching(db).where('s.namespace_id', 'in', around), watchingEverywhere(db, around)] as const;
}

// Maximum number of users considered per event.
const maxWatchers = 5000;

const watchers = statement((db, param: Param<{ projectId: number }>) => {
  const [ofProject, ofGroups, ofAll] = waysToWatch(db, param('projectId'));
  return ofProject.union(ofGroups).union(ofAll).limit(maxWatchers);
});

const groupWatchers = statement((db, param: Param<{ groupId: number }>) => {
  const [ofGroups, ofAll] = waysToWatchGroup(db, param('groupId'));
  return ofGroups.union(ofAll).limit(maxWatchers);
});

/** Users who may be notified of events in a project or group without participating. */
export async function watchersOf(db: Reader, { project_id, namespace_id }: OwnerColumns): Promise<number[]> {
  const rows =
    project_id !== null
      ? await watchers.all(db, { projectId: project_id })
      : namespace_id !== null
        ? await groupWatchers.all(db, { groupId: namespace_id })
        : [];
  return rows.map(({ user_id }) => user_id);
}
