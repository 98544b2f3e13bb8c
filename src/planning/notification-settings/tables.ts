import type { Generated, Selectable } from 'kysely';
import type { NotificationLevel } from './events.ts';

export interface NotificationSettingsTable {
  id: Generated<number>;
  user_id: number;
  /** Both null: everywhere. */
  project_id: number | null;
  namespace_id: number | null;
  level: NotificationLevel;
  /** What was chosen of events, as JSON. */
  events: string;
  /** Where mails go to, if not to the user's own address; of the settings for everywhere alone. */
  notification_email: string | null;
  created_at: number;
  updated_at: number;
}

export type NotificationSettingRow = Selectable<NotificationSettingsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    notification_settings: NotificationSettingsTable;
  }
}
