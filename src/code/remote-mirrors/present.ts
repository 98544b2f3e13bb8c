import { hostKeyFingerprints } from '../../platform/git/remote/key-pair.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import type { RemoteMirrorEntity } from './schema.ts';
import type { RemoteMirrorRow } from './tables.ts';

export function presentMirror(row: RemoteMirrorRow): RemoteMirrorEntity {
  return {
    id: row.id,
    enabled: row.enabled === 1,
    url: row.url,
    update_status: row.update_status,
    last_update_at: instantOrNull(row.last_update_at),
    last_update_started_at: instantOrNull(row.last_update_started_at),
    last_successful_update_at: instantOrNull(row.last_successful_update_at),
    last_error: row.last_error,
    only_protected_branches: row.only_protected_branches === 1,
    keep_divergent_refs: row.keep_divergent_refs === 1,
    auth_method: row.auth_method,
    host_keys: hostKeyFingerprints(row.known_hosts).map((fingerprint_sha256) => ({ fingerprint_sha256 })),
    mirror_branch_regex: row.mirror_branch_regex,
  };
}
