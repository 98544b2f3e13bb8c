import type { Generated, Selectable } from 'kysely';
import type { NotificationLevel } from './events.ts';

export interface NotificationSettingsTable {
  id: Generated<number>;
  user_id: number;
  /** Both null for the global setting. */
  project_id: number | null;
  namespace_id: number | null;
  level: NotificationLevel;
  /** Selected events, as JSON. */
  events: string;
  /** Alternative address for notifications; only in global settings. */
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
