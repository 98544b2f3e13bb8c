import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { projectParam } from '../schema.ts';

/** There are no scanners, so the auto-fix settings are always false. */
export const SecuritySettings = entity('ProjectSecuritySetting', {
  project_id: Type.Integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
  auto_fix_container_scanning: Type.Boolean(),
  auto_fix_dast: Type.Boolean(),
  auto_fix_dependency_scanning: Type.Boolean(),
  auto_fix_sast: Type.Boolean(),
  continuous_vulnerability_scans_enabled: Type.Boolean(),
  container_scanning_for_registry_enabled: Type.Boolean(),
  secret_push_protection_enabled: Type.Boolean(),
  pre_receive_secret_detection_enabled: Type.Boolean(),
});
export type SecuritySettingsEntity = Static<typeof SecuritySettings>;

export const GroupSecuritySettings = entity('GroupSecuritySetting', {
  secret_push_protection_enabled: Type.Boolean(),
  errors: Type.Array(Type.String()),
});

export const securityChange = {
  ...projectParam,
  secret_push_protection_enabled: param.boolean({ description: 'Whether secret push protection is enabled' }),
  pre_receive_secret_detection_enabled: param.boolean({ description: 'Deprecated: secret_push_protection_enabled' }),
};
export type SecurityChange = ParamsOf<typeof securityChange>;

export const groupSecurityChange = {
  id: required(param.string({ description: 'ID or URL-encoded path of the group' })),
  secret_push_protection_enabled: required(
    param.boolean({ description: 'Whether secret push protection is enabled in the projects' }),
  ),
  projects_to_exclude: param.integers({ description: 'IDs of projects to exclude' }),
};
