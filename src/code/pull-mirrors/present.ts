import type { Project } from '../../access/tables.ts';
import { settingsFor } from '../../namespaces/projects/public.ts';
import { hostKeyFingerprints } from '../../platform/git/remote/key-pair.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import type { PullMirrorEntity } from './schema.ts';
import type { PullMirrorRow } from './tables.ts';

/** The mirror settings of a project that are stored with its other settings. */
export interface MirrorSettings {
  readonly enabled: boolean;
  readonly userId: number | null;
  readonly triggersBuilds: boolean;
  readonly onlyProtected: boolean;
  readonly overwrites: boolean;
  readonly branchRegex: string | null;
}

export function mirrorSettingsOf(project: Pick<Project, 'settings'>): MirrorSettings {
  const settings = settingsFor(project);
  const { mirror_user_id: userId, mirror_branch_regex: regex } = settings;
  return {
    enabled: settings.mirror === true,
    userId: typeof userId === 'number' ? userId : null,
    triggersBuilds: settings.mirror_trigger_builds === true,
    onlyProtected: settings.only_mirror_protected_branches === true,
    overwrites: settings.mirror_overwrites_diverged_branches === true,
    branchRegex: typeof regex === 'string' && regex !== '' ? regex : null,
  };
}

export function presentPullMirror(row: PullMirrorRow, project: Project): PullMirrorEntity {
  const settings = mirrorSettingsOf(project);
  return {
    id: row.project_id,
    last_error: row.last_error,
    last_successful_update_at: instantOrNull(row.last_successful_update_at),
    last_update_at: instantOrNull(row.last_update_at),
    last_update_started_at: instantOrNull(row.last_update_started_at),
    update_status: row.update_status,
    url: row.url,
    auth_method: row.auth_method,
    host_keys: hostKeyFingerprints(row.known_hosts).map((fingerprint_sha256) => ({ fingerprint_sha256 })),
    enabled: settings.enabled,
    mirror_trigger_builds: settings.triggersBuilds,
    only_mirror_protected_branches: settings.onlyProtected,
    mirror_overwrites_diverged_branches: settings.overwrites,
    mirror_branch_regex: settings.branchRegex,
  };
}
