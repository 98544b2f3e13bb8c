import type { Selectable } from 'kysely';

export type SyncStatus = 'ready' | 'pending' | 'started' | 'failed';

/** Status of the last LDAP sync of a group; no row if none was requested. */
export interface LdapGroupSyncsTable {
  namespace_id: number;
  status: SyncStatus;
  error: string | null;
  last_sync_at: number | null;
  last_update_at: number | null;
  last_successful_update_at: number | null;
}

export type LdapGroupSyncRow = Selectable<LdapGroupSyncsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ldap_group_syncs: LdapGroupSyncsTable;
  }
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ldap.sync-group': { groupId: number };
    /** Synchronizes all linked groups. */
    'ldap.sync-groups': null;
  }
}
