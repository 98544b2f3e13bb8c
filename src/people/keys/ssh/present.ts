import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import type { SshKeyRow } from '../tables.ts';
import type { SshKeyEntity } from './schema.ts';

export function presentSshKey(row: SshKeyRow): SshKeyEntity {
  return {
    id: row.id,
    title: row.title,
    created_at: instant(row.created_at),
    expires_at: instantOrNull(row.expires_at),
    last_used_at: instantOrNull(row.last_used_at),
    key: row.key,
    usage_type: row.usage_type,
  };
}
