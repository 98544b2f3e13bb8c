import Type from 'typebox';
import type { SignedInActor } from '../../access/actor.ts';
import { isProject, type OwnerColumns, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { confirmedEmails } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { Invalid, ParameterError } from '../../platform/http/errors.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { type ChosenEvents, eventsShown, type NotificationLevel, notificationEvents } from './events.ts';
import type {
  GlobalChangeParams,
  GlobalNotificationSettingEntity,
  NotificationSettingEntity,
  SettingChangeParams,
} from './schema.ts';
import * as store from './store.ts';
import type { NotificationSettingRow } from './tables.ts';

const everywhere: OwnerColumns = { project_id: null, namespace_id: null };
const storedEvents = storedJson(Type.Record(Type.String(), Type.Boolean()));

interface Setting {
  readonly level: NotificationLevel;
  readonly events: ChosenEvents;
  readonly notification_email: string | null;
}

function settingOf(row: NotificationSettingRow | undefined, defaultLevel: NotificationLevel): Setting {
  if (!row) return { level: defaultLevel, events: {}, notification_email: null };
  return { level: row.level, events: storedEvents(row.events), notification_email: row.notification_email };
}

function present({ level, events }: Setting, where: Parameters<typeof eventsShown>[1]): NotificationSettingEntity {
  return { level, ...(level === 'custom' ? { events: eventsShown(events, where) } : {}) };
}

const kindOf = (place: ProjectOrGroup) => (isProject(place) ? 'project' : 'group');

/** The caller's global setting; the default is `participating`. */
export async function getGlobal({ db }: Services, caller: SignedInActor): Promise<GlobalNotificationSettingEntity> {
  const setting = settingOf(await store.findSetting(db.read, caller.user.id, everywhere), 'participating');
  return { ...present(setting, 'everywhere'), notification_email: setting.notification_email ?? caller.user.email };
}

export async function getForProjectOrGroup(
  { db }: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
): Promise<NotificationSettingEntity> {
  const row = await store.findSetting(db.read, caller.user.id, ownerColumnsOf(place));
  return present(settingOf(row, 'global'), kindOf(place));
}

async function save(
  { db }: Services,
  caller: SignedInActor,
  owner: OwnerColumns,
  defaultLevel: NotificationLevel,
  params: SettingChangeParams,
  notification_email?: string | null,
): Promise<Setting> {
  const user_id = caller.user.id;
  const chosen = Object.fromEntries(
    notificationEvents.flatMap((event) => (params[event] === undefined ? [] : [[event, params[event]]])),
  );
  const row = await db.write(async (trx) => {
    await acquireLock(trx, `notification settings of ${user_id}`);
    const before = settingOf(await store.findSetting(trx, user_id, owner), defaultLevel);
    return store.saveSetting(trx, {
      user_id,
      ...owner,
      level: params.level ?? before.level,
      events: JSON.stringify({ ...before.events, ...chosen }),
      notification_email: notification_email === undefined ? before.notification_email : notification_email,
      updated_at: Date.now(),
    });
  });
  return settingOf(row, defaultLevel);
}

/** Notifications may only go to a verified address of the user; blank selects the primary one. */
async function checkEmail(db: Reader, { user }: SignedInActor, email: string): Promise<string | null> {
  if (email === '' || email === user.email) return null;
  if ((await confirmedEmails(db, user.id)).has(email.toLowerCase())) return email;
  throw new Invalid({ notification_email: ['must be an email you have verified'] });
}

export async function updateGlobal(
  services: Services,
  caller: SignedInActor,
  params: GlobalChangeParams,
): Promise<GlobalNotificationSettingEntity> {
  if (params.level === 'global') throw new ParameterError('level does not have a valid value');
  const { notification_email: wanted } = params;
  const email = wanted === undefined ? undefined : await checkEmail(services.db.read, caller, wanted);
  const setting = await save(services, caller, everywhere, 'participating', params, email);
  return { ...present(setting, 'everywhere'), notification_email: setting.notification_email ?? caller.user.email };
}

export async function updateForProjectOrGroup(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  params: SettingChangeParams,
): Promise<NotificationSettingEntity> {
  return present(await save(services, caller, ownerColumnsOf(place), 'global', params), kindOf(place));
}
