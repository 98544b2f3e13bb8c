import { settingsOf } from '../../access/stored-settings.ts';
import type { Reader } from '../../platform/database/database.ts';

/** Maximum number of members notified through a group mention or `@all`. */
const maxMembers = 100;

/** Direct members of groups and of a project, without inherited ones. */
export async function membersOf(
  db: Reader,
  { groupIds, projectId }: { readonly groupIds: readonly number[]; readonly projectId: number | null },
): Promise<number[]> {
  if (groupIds.length === 0 && projectId === null) return [];
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .distinct()
    .where(({ or, eb }) =>
      or([
        ...(groupIds.length > 0 ? [eb('namespace_id', 'in', groupIds)] : []),
        ...(projectId === null ? [] : [eb('project_id', '=', projectId)]),
      ]),
    )
    .limit(maxMembers)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Groups that allow being mentioned. */
export async function mentionableGroups(db: Reader, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('namespaces').select(['id', 'settings']).where('id', 'in', ids).execute();
  return rows.filter((row) => settingsOf(row).mentions_disabled !== true).map(({ id }) => id);
}
