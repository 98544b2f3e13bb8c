import type { ClientKeyEntity, ErrorTrackingSettingEntity } from './schema.ts';
import type { ClientKeyRow, SettingRow } from './tables.ts';

/** The fields for an external Sentry server are always empty, because events are received by this server. */
export function presentSetting({ active, integrated }: SettingRow): ErrorTrackingSettingEntity {
  return {
    active: active === 1,
    project_name: null,
    sentry_external_url: null,
    api_url: null,
    integrated: integrated === 1,
  };
}

export function presentKey({ id, active, public_key, project_id }: ClientKeyRow, externalUrl: string): ClientKeyEntity {
  return { id, active: active === 1, public_key, sentry_dsn: dsnOf(externalUrl, public_key, project_id) };
}

/** The DSN for SDKs, which insert `/api` before its last segment. */
export function dsnOf(externalUrl: string, key: string, project: number): string {
  return `${externalUrl.replace('://', `://${key}@`)}/errortracking/api/v1/projects/${project}`;
}
