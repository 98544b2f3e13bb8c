import type { Generated, Selectable } from 'kysely';

export interface ErrorTrackingSettingsTable {
  project_id: number;
  active: number;
  /** Whether events are received by this server instead of an external one. */
  integrated: number;
  created_at: number;
  updated_at: number;
}

export interface ErrorTrackingClientKeysTable {
  id: Generated<number>;
  project_id: number;
  public_key: string;
  active: Generated<number>;
  created_at: number;
}

export type SettingRow = Selectable<ErrorTrackingSettingsTable>;
export type ClientKeyRow = Selectable<ErrorTrackingClientKeysTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    error_tracking_settings: ErrorTrackingSettingsTable;
    error_tracking_client_keys: ErrorTrackingClientKeysTable;
  }
}
