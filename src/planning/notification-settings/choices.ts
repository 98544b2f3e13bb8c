import Type from 'typebox';
import type { Reader } from '../../platform/database/database.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { NotificationLevel } from './events.ts';
import type { EffectiveSetting } from './notified.ts';
import { settingsOfUsers } from './store.ts';
import type { NotificationSettingRow } from './tables.ts';

/** A project, if any, and its ancestor groups, nearest first. */
export interface NotificationScope {
  readonly projectId: number | null;
  readonly namespaceIds: readonly number[];
}

const storedEvents = storedJson(Type.Record(Type.String(), Type.Boolean()));
const defaultChoice: EffectiveSetting = { level: 'participating', events: {} };

const isChosen = (level: NotificationLevel): level is EffectiveSetting['level'] => level !== 'global';

/** The most specific setting that is not `global`: of the project, its groups, or the user. */
export function effectiveSetting(rows: readonly Pick<NotificationSettingRow, 'level' | 'events'>[]): EffectiveSetting {
  for (const { level, events } of rows) if (isChosen(level)) return { level, events: storedEvents(events) };
  return defaultChoice;
}

/** The effective setting and e-mail address of each user for a project or group. */
export async function effectiveSettings(
  db: Reader,
  userIds: readonly number[],
  place: NotificationScope,
): Promise<Map<number, EffectiveSetting & { readonly email: string | null }>> {
  const rows = await settingsOfUsers(db, userIds, place);
  const rank = ({ project_id, namespace_id }: NotificationSettingRow) =>
    project_id !== null ? -1 : namespace_id !== null ? place.namespaceIds.indexOf(namespace_id) : Number.MAX_VALUE;
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map(
    userIds.map((id) => {
      const own = [...(byUser.get(id) ?? [])].sort((one, two) => rank(one) - rank(two));
      const email = own.find((row) => rank(row) === Number.MAX_VALUE)?.notification_email ?? null;
      return [id, { ...effectiveSetting(own), email }];
    }),
  );
}
